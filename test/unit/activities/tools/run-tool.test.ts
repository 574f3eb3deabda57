import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, test } from "vitest"
import { z } from "zod"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import { createRunTool } from "../../../../activities/tools/run-tool.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import type { Tool } from "../../../../tools/tool.ts"
import { storeWithSession } from "../../store/store-fixture.ts"

const peek: Tool = {
  name: "Peek",
  description: "Looks.",
  input: z.strictObject({}),
  idempotent: true,
  readOnly: true,
  quick: true,
  execute: async () => ({ content: "a page" }),
}
const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
const snapshot = { tools: ["Peek"], deniedTools: [] } as unknown as RunSnapshot

/** Runs a proposed call of Peek as a local activity. */
const peekLocally = async (worker: Pick<AgentDependencies, "runsQuickTools" | "tools">) => {
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
  const deps = { ...worker, store, mcp, redact: (text: string) => text } as unknown as AgentDependencies
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

test("a worker that has the workflow but may not run its tools leaves a quick call to other workers", async () => {
  const left = await peekLocally({ runsQuickTools: false, tools: new Map([["Peek", peek]]) })
  expect(left).toEqual({ claim: undefined, row: undefined })
})

test("a worker that does not have a quick tool leaves its call to other workers", async () => {
  const left = await peekLocally({ runsQuickTools: true, tools: new Map() })
  expect(left).toEqual({ claim: undefined, row: undefined })
})
