import { randomUUID } from "node:crypto"
import { afterEach, expect, it } from "vitest"
import { treeUsage } from "../../../activities/limits/tree-usage.ts"
import { countedTokens } from "../../../domain/limits/usage-totals.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createTreeModel } from "../../helpers/limits/tree-model.ts"

// A person resets the workflow of a run that is open: what was used before counts, or each reset would give the run its budget again.

let harness: Harness
afterEach(() => harness.close())

const budget = 1_000_000
const childTokens = 100_000

/** Resets the workflow of the open run to before its n-th model call, from 1. */
const reset = async (sessionId: string, n: number): Promise<void> => {
  const handle = harness.handle(sessionId)
  const { runId } = await handle.describe()
  const events = (await handle.fetchHistory()).events ?? []
  const calls = events.flatMap(({ activityTaskScheduledEventAttributes: call }) =>
    call?.activityType?.name === "callModel" ? [call] : [],
  )
  await harness.temporal.workflowService.resetWorkflowExecution({
    namespace: "default",
    workflowExecution: { workflowId: handle.workflowId, runId },
    workflowTaskFinishEventId: calls[n - 1]?.workflowTaskCompletedEventId ?? null,
    requestId: randomUUID(),
    reason: "a test",
  })
}

/** A run with two sub-agents, one after another, which then asks a person. */
const createModel = () => {
  let tasks = 0
  return createTreeModel(
    (_, { messages }) => {
      const start = messages.findLastIndex(({ role }) => role === "user")
      if (messages.slice(start).filter(({ role }) => role === "tool").length === 2)
        return { calls: [["Bash", { command: "true" }]] }
      tasks += 1
      return { calls: [["Task", { description: "find", prompt: `task ${tasks}`, subagent_type: "explore" }]] }
    },
    () => ({ text: "Found.", outputTokens: childTokens }),
  )
}

it("what a run and its sub-agents used before a reset counts for its budget, while the run is open, too", async () => {
  harness = await openHarness({
    model: createModel(),
    config: {
      models: { main: { provider: "scripted", script: "unused.yaml", maxOutputTokens: 1_000 } },
      agents: { general: { delegation: "task" } },
      subagents: { maxChildrenPerAgent: 1 },
      tools: { policy: { Bash: "prompt" } },
    },
  })
  const { client, store } = harness
  const id = await harness.start({ prompt: "PARENT", budget_tokens: budget, auto_approve: false })
  const checkpoints = new Set<string>()
  const pausesAgain = () =>
    eventually(async () => {
      const pause = await store.pauses.current(id)
      if (pause === undefined || checkpoints.has(pause.checkpointId)) return false
      checkpoints.add(pause.checkpointId)
      return true
    })
  await pausesAgain()
  await reset(id, 2)
  await pausesAgain()
  // That is before the run was opened.
  await reset(id, 1)
  await pausesAgain()
  const { items: children } = await store.sessions.list({ parentId: id, limit: 10 })
  const limits = await Promise.all(
    children.map(async ({ id: child }) => (await client.info(child)).limits?.budget_tokens.limit ?? 0),
  )
  const [step, child] = [15, childTokens + 10]
  // Each gets half of what is left.
  const left = [1, 2, 4, 6, 7].map((steps, before) => budget - steps * step - before * child)
  expect(limits.toSorted((a, b) => b - a)).toEqual(left.map((tokens) => Math.floor(tokens / 2)))
  const used = countedTokens(await treeUsage(store, id))
  expect(used).toBe(8 * step + 5 * child)
  expect((await client.info(id)).limits?.budget_tokens).toEqual({ limit: budget, used })
  await client.cancel(id, { by: "test", via: "cli" })
  await client.wait(id)
  expect((await client.info(id)).limits?.budget_tokens).toEqual({ limit: budget, used })
})
