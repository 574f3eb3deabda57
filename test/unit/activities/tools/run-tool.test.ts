import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, test } from "vitest"
import { z } from "zod"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import type { RunToolInput } from "../../../../activities/contract/agent-activities.ts"
import { createWorkerSlots } from "../../../../activities/slots/worker-slots.ts"
import { createRunTool } from "../../../../activities/tools/run-tool.ts"
import { createUnstartedCalls } from "../../../../activities/unstarted-calls.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import type { Tool } from "../../../../tools/tool.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"
import { assistantMessage, newSession, openTestStore, storeWithSession } from "../../store/store-fixture.ts"

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
const snapshot: RunSnapshot = { ...baseSnapshot, tools: ["Peek"] }

/** Runs a proposed call of Peek as a local activity. */
const peekLocally = async (worker: Pick<AgentDependencies, "tools">) => {
  const store = await storeWithSession()
  await store.messages.put("s1", {
    seq: 1,
    runId: "r1",
    step: 1,
    fence: 1,
    message: {
      role: "assistant",
      provider: "scripted",
      model: "fake",
      parts: [{ type: "tool_call", call: { id: "c1", name: "Peek", arguments: {} } }],
      usage,
      stop: "tool_calls",
    },
  })
  const mcp = { tools: async () => ({ tools: [], down: [], changed: [] }) }
  const deps = {
    ...worker,
    store,
    mcp,
    slots: createWorkerSlots(),
    unstarted: createUnstartedCalls(),
    redact: (text: string) => text,
  } as unknown as AgentDependencies
  const runTool = createRunTool(deps, async () => snapshot)
  const input = {
    sessionId: "s1",
    runId: "r1",
    snapshotHash: "h",
    step: 1,
    assistantSeq: 1,
    callId: "c1",
    resultSeq: 2,
    outbox: { events: [] },
  }
  const result = new MockActivityEnvironment({ isLocal: true }).run(runTool, input)
  await expect(result).rejects.toMatchObject({ type: "runs_elsewhere", nonRetryable: true })
  return { claim: await store.claims.get("s1", 2), row: await store.messages.get("s1", 2) }
}

test("a worker that does not have a quick tool leaves its call to other workers", async () => {
  const left = await peekLocally({ tools: new Map() })
  expect(left).toEqual({ claim: undefined, row: undefined })
})

test("a tool can read the metadata of its session", async () => {
  let metadata: unknown
  const execute: Tool["execute"] = async (_, context) => {
    metadata = await context.metadata?.()
    return { content: "put" }
  }
  await runPut(put({ execute }), {})
  expect(metadata).toEqual({ ticket: 7 })
})

const put = (tool: Partial<Tool>): Tool => ({
  name: "Put",
  description: "Puts.",
  input: z.looseObject({}),
  idempotent: false,
  readOnly: false,
  writes: () => ["docs/a.md"],
  execute: async () => ({ content: "put" }),
  ...tool,
})

/** Runs a call that policy, or a grant for `docs/**`, let run without a question when it was proposed. */
const runPut = async (tool: Tool, deps: Partial<AgentDependencies>, more: Partial<RunToolInput> = {}) => {
  const store = await openTestStore()
  await store.sessions.create(newSession("s1", { metadata: { ticket: 7 } }))
  await store.grants.create(
    {
      ...{ id: "grant_1", sessionId: "s1", tool: tool.name, arguments: { file_path: "docs/**" } },
      ...{ createdBy: "ana", createdVia: "cli", expiresAt: new Date(Date.now() + 60_000).toISOString() },
    },
    1,
  )
  const call = { id: "c1", name: tool.name, arguments: { file_path: "docs/a.md" } }
  const message = assistantMessage("", "", [{ type: "tool_call", call }])
  await store.messages.put("s1", { seq: 1, runId: "r1", step: 1, fence: 1, message })
  const mcp = { tools: async () => ({ tools: [], down: [], changed: [] }) }
  const worker = {
    ...{ store, mcp, dataDir: "/data", tools: new Map([[tool.name, tool]]), redact: (text: string) => text },
    ...{ directoryProblem: async () => undefined, namedFiles: () => [], toolEnv: () => ({}) },
    ...{ slots: createWorkerSlots(), unstarted: createUnstartedCalls() },
    ...{ sandboxFor: async () => ({ confined: false }), protectedChange: async () => undefined },
    ...{ streamed: { flush: async () => undefined }, pathInside: async (_: RunSnapshot, path: string) => path },
    ...deps,
  } as unknown as AgentDependencies
  const settings: RunSnapshot = { ...baseSnapshot, tools: [tool.name], policy: { Put: "auto" } }
  const result = await new MockActivityEnvironment().run(
    createRunTool(worker, async () => settings),
    {
      ...{ sessionId: "s1", runId: "r1", snapshotHash: "h", step: 1, assistantSeq: 1, callId: "c1", resultSeq: 2 },
      ...{ isUnasked: true, ...more },
      outbox: { events: [{ ordinal: -7, type: "step-started" as const, data: { step: 1 } }] },
    },
  )
  const { events } = await store.events.read("s1", { after: 0, limit: 10 })
  const row = await store.messages.get("s1", 2)
  const claim = await store.claims.get("s1", 2)
  const codes = events.flatMap((event) => ("code" in event ? [event.code] : []))
  const audit = (await store.audit.list({ sessionId: "s1" })).map(({ action, detail }) => ({ action, ...detail }))
  return { result, claim, row: row?.message, events: events.map(({ type }) => type), codes, audit }
}

test("a call that runs by itself is executed, with the events before it", async () => {
  const { result, events } = await runPut(put({}), {})
  expect(result).toMatchObject({ outcome: "ok" })
  expect(events).toEqual(["step-started", "tool-started", "tool-finished"])
})

test("a call that changes a protected path by now is asked about by id, and the events before it are kept", async () => {
  const { result, row, events } = await runPut(put({}), { protectedChange: async () => ".envrc" })
  expect(result).toMatchObject({ changed: expect.stringContaining(".envrc"), changesProtected: true })
  expect(row).toBeUndefined()
  expect(events).toEqual(["step-started"])
})

test("a call that runs by a grant gets the only path that it can use", async () => {
  const used: unknown[] = []
  const execute: Tool["execute"] = async (_, { grantedPath }) => {
    used.push(grantedPath)
    return { content: "put" }
  }
  const write = put({ name: "Write", execute })
  const granted = { grantId: "grant_1" }
  await runPut(write, { pathInside: async () => "docs/real.md" }, granted)
  const moved = await runPut(write, { pathInside: async () => "src/a.md" }, granted)
  expect(moved.result).toMatchObject({ changed: expect.stringContaining("grant_1 no longer covers") })
  await runPut(put({ execute }), {})
  expect(used).toEqual(["docs/real.md", undefined])
})

test("a call that is refused is answered without being executed", async () => {
  const execute = () => expect.fail("it was executed")
  const refused = await runPut(put({ execute }), { workerPolicy: { sandbox: "off", policy: { Put: "never" } } })
  expect(refused.row).toMatchObject({
    outcome: "error",
    executed: false,
    content: expect.stringContaining("never allows it"),
  })
  expect(refused.codes).toEqual(["forbidden"])
  expect(refused.audit).toMatchObject([{ action: "refuse", call_id: "c1", code: "forbidden" }])
  const misplaced = { directoryProblem: async () => ({ kind: "missing", message: "it is gone" }) as const }
  expect((await runPut(put({ execute }), misplaced)).row).toMatchObject({ executed: false, content: "it is gone" })
})

test.each([
  ["policy of the worker", { workerPolicy: { sandbox: "off" as const, policy: { Put: "never" as const } } }],
  ["a tool that is not here", { tools: new Map() }],
  ["a directory that is gone", { directoryProblem: async () => ({ kind: "missing", message: "it is gone" }) as const }],
])("a call that is refused for %s is not claimed, so that no later attempt takes it for started", async (_, worker) => {
  const { claim, events } = await runPut(put({}), worker)
  expect(claim).toBeUndefined()
  expect(events).toEqual(["step-started", "tool-finished"])
})
