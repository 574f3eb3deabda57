import { createWorkerSlots } from "../../../../../activities/slots/worker-slots.ts"
import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, it } from "vitest"
import { z } from "zod"
import type { AgentDependencies } from "../../../../../activities/agent-dependencies.ts"
import { createRunTool } from "../../../../../activities/tools/run-tool.ts"
import { createUnstartedCalls } from "../../../../../activities/unstarted-calls.ts"
import type { Execution, RunSnapshot } from "../../../../../contracts/run-snapshot.ts"
import { withWorkerPolicy, type WorkerPolicy } from "../../../../../domain/approval/worker-policy.ts"
import type { Store } from "../../../../../store/store.ts"
import { baseSnapshot } from "../../../client/client-fixture.ts"
import { assistantMessage, storeWithSession, userMessage } from "../../../store/store-fixture.ts"

const input = {
  sessionId: "s1",
  runId: "r1",
  snapshotHash: "h",
  step: 0,
  assistantSeq: 2,
  callId: "call_1",
  resultSeq: 3,
  outbox: { events: [] },
  isUnasked: true,
}

const kinds = {
  program: {
    name: "binary:tool",
    execution: { type: "binary", command: process.execPath, args: [], env: {}, timeoutMs: 5_000, idempotent: true },
  },
  bridge: {
    name: "mcp__docs__find",
    execution: { type: "mcp-bridge", mcpTool: "mcp__docs__find", timeoutMs: 5_000, idempotent: true },
  },
} satisfies Record<string, { name: string; execution: Execution }>

type Kind = keyof typeof kinds

const openCall = async (kind: Kind) => {
  const store = await storeWithSession()
  await store.messages.put("s1", { seq: 1, runId: "r1", step: 0, fence: 0, message: userMessage("Go.") })
  const call = { id: "call_1", name: kinds[kind].name, arguments: { task: "Go." } }
  const message = assistantMessage("", "", [{ type: "tool_call", call }])
  await store.messages.put("s1", { seq: 2, runId: "r1", step: 0, fence: 0, message })
  return store
}

interface Attempt {
  readonly store: Store
  readonly attempt: number
  readonly workerPolicy?: WorkerPolicy
  /** What the program or the tool answers. */
  readonly work: () => Promise<string>
}

const depsOf = ({ store, workerPolicy, work }: Attempt): AgentDependencies => {
  const find = {
    name: kinds.bridge.name,
    input: z.looseObject({}),
    execute: async () => ({ content: await work() }),
  }
  const runProgram = async () => ({ stdout: await work(), stderrEnd: "", exitCode: 0, signal: null, stoppedFor: null })
  return {
    store,
    ...(workerPolicy === undefined ? {} : { workerPolicy }),
    allowBinaryAgents: true,
    dataDir: "/data",
    mcp: { tools: async () => ({ tools: [find], down: [], changed: [] }) },
    sandboxFor: async () => ({ confined: false, runProgram }),
    directoryProblem: async () => undefined,
    hiddenDirectories: async () => [],
    namedFiles: () => [],
    toolEnv: () => ({}),
    streamed: { flush: async () => undefined },
    unstarted: createUnstartedCalls(),
    slots: createWorkerSlots(),
    redact: (text: string) => text,
  } as unknown as AgentDependencies
}

const runAttempt = (kind: Kind, attempt: Attempt) => {
  const { execution } = kinds[kind]
  const snapshot: RunSnapshot = { ...baseSnapshot, type: execution.type, agent: "tool", execution, sandbox: "off" }
  const permissive: RunSnapshot = { ...snapshot, policy: { "*": "auto" } }
  const activity = createRunTool(depsOf(attempt), async () => withWorkerPolicy(permissive, attempt.workerPolicy))
  return new MockActivityEnvironment({ attempt: attempt.attempt }).run(activity, input)
}

const ruled = (kind: Kind, mode: "prompt" | "never"): WorkerPolicy => ({
  sandbox: "off",
  policy: { [kinds[kind].name]: mode },
})
const both = ["program", "bridge"] as const

/** Starts the call on a worker that allows it, and that dies. */
const startAndDie = async (kind: Kind, store: Store): Promise<void> => {
  const died = new Promise<never>(() => undefined)
  let hasBegun = () => undefined as void
  const begun = new Promise<void>((resolve) => (hasBegun = resolve))
  const work = () => {
    hasBegun()
    return died
  }
  void runAttempt(kind, { store, attempt: 1, work })
  await begun
}

const answers = async () => "found"
const found = { outcome: "ok", background: false, preview: "found" }
const never = () => Promise.reject(new Error("it was made"))

it.each(both)("the %s that had been started is repeated on a worker that asks about it", async (kind) => {
  const store = await openCall(kind)
  await startAndDie(kind, store)
  const result = await runAttempt(kind, { store, attempt: 2, workerPolicy: ruled(kind, "prompt"), work: answers })
  expect(result).toEqual(found)
})

it.each(both)(
  "the %s is not repeated on a worker that never allows it, which does not deny the start",
  async (kind) => {
    const store = await openCall(kind)
    await startAndDie(kind, store)
    const result = await runAttempt(kind, { store, attempt: 2, workerPolicy: ruled(kind, "never"), work: never })
    expect(result).toMatchObject({
      outcome: "error",
      failure: { error: { code: "forbidden", message: expect.stringContaining("another worker had started it") } },
    })
  },
)

it.each(both)("the %s that no attempt has started does not run at any attempt on such workers", async (kind) => {
  const store = await openCall(kind)
  const onWorker = (attempt: number, mode: "prompt" | "never") =>
    runAttempt(kind, { store, attempt, workerPolicy: ruled(kind, mode), work: never })
  for (const attempt of [1, 2])
    expect(await onWorker(attempt, "never")).toMatchObject({
      failure: {
        stopReason: "error",
        error: { code: "forbidden", message: expect.stringContaining("never allows it") },
      },
    })
  for (const attempt of [3, 4])
    expect(await onWorker(attempt, "prompt")).toMatchObject({ changed: expect.stringContaining("asks about") })
  const { events } = await store.events.read("s1", { after: 0, limit: 10 })
  expect(events.map(({ type }) => type)).toEqual(["tool-finished"])
  expect(await runAttempt(kind, { store, attempt: 5, work: answers })).toEqual(found)
})
