import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, test } from "vitest"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import type { CallModelInput } from "../../../../activities/contract/agent-activities.ts"
import { createCallModel } from "../../../../activities/model/call-model.ts"
import { createWorkerSlots } from "../../../../activities/slots/worker-slots.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { createAssistantMessage } from "../../../helpers/providers/model-request.ts"
import { createWorkspace } from "../../tools/workspace.ts"
import { newPause, storeWithSession } from "../../store/store-fixture.ts"

const scheduledTimestampMs = 1_000_000

/** Runs a late attempt to call the model, after the answer was written with the fence `answered`. */
const attemptLate = async (answered: number) => {
  const store = await storeWithSession()
  const { context } = createWorkspace()
  const snapshot = {
    approval: "all",
    tools: [],
    deniedTools: [],
    mcpServers: {},
    policy: {},
    inheritedPolicies: [],
    delegation: "none",
    subagents: {},
    compaction: { enabled: true, keepTurns: 8 },
  } as unknown as RunSnapshot
  await store.runs.create({ runId: "r1", sessionId: "s1", snapshotHash: await store.snapshots.put(snapshot) })
  const answer = createAssistantMessage([{ type: "text", text: "Done." }])
  await store.messages.put("s1", { seq: 2, runId: "r1", step: 1, fence: answered, message: answer })
  await store.sessions.patch("s1", { headSeq: 2 })
  await store.pauses.open(newPause("cp1"))
  const deps = {
    store,
    tools: new Map(),
    mcp: { tools: async () => ({ tools: [], down: [], changed: [] }) },
    slots: createWorkerSlots(),
    namedFiles: () => [],
    sandboxFor: async () => context.sandbox,
    directoryProblem: async () => undefined,
    toolEnv: () => ({}),
    logger: { warn: () => undefined },
    redact: (text: string) => text,
  } as unknown as AgentDependencies
  const input: CallModelInput = {
    sessionId: "s1",
    runId: "r1",
    snapshotHash: "h",
    step: 1,
    outbox: { events: [] },
    sessionSteps: 1,
    assistantSeq: 2,
    append: [{ kind: "text", seq: 1, source: "instruction", text: "Go." }],
    model: null,
    budget: { microUsd: null, tokens: null },
    spending: { ranMs: 0, childrenMicroUsd: 0, childrenTokens: 0 },
    compactions: 0,
    waitsSince: null,
  }
  const environment = new MockActivityEnvironment({ scheduledTimestampMs, attempt: 3 })
  const result = environment.run(
    createCallModel(deps, async () => snapshot),
    input,
  )
  return { store, result }
}

test("an attempt that comes after another one's answer leaves the end of the transcript and an open pause", async () => {
  const { store, result } = await attemptLate(scheduledTimestampMs * 1_000 + 2)
  expect(await result).toMatchObject({ kind: "answer", preview: "Done." })
  expect((await store.sessions.get("s1"))?.headSeq).toBe(2)
  expect(await store.pauses.current("s1")).toMatchObject({ runId: "r1" })
})

test("an attempt that comes after a later step's rows pays for no call", async () => {
  const { store, result } = await attemptLate((scheduledTimestampMs + 1) * 1_000 + 1)
  await expect(result).rejects.toThrow("a newer attempt has already answered this step")
  expect((await store.sessions.get("s1"))?.headSeq).toBe(2)
  expect(await store.pauses.current("s1")).toMatchObject({ runId: "r1" })
})
