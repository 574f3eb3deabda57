import { randomUUID } from "node:crypto"
import { afterEach, expect, it } from "vitest"
import { treeUsage } from "../../../activities/limits/tree-usage.ts"
import type { Timing } from "../../../contracts/config/timing.ts"
import { countedTokens } from "../../../domain/limits/usage-totals.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createTreeModel } from "../../helpers/limits/tree-model.ts"

// A person resets the workflow of a run that is open: what was used before counts, or each reset would give the run its budget again.

let harness: Harness
afterEach(() => harness.close())

const budget = 1_000_000
const childTokens = 100_000
/** What a model call of the run uses, and a sub-agent. */
const [step, child] = [15, childTokens + 10]

/** Resets the workflow of the open run to before the n-th model call, from 1, of an execution. */
const reset = async (sessionId: string, runId: string, n: number): Promise<void> => {
  const { workflowId } = harness.handle(sessionId)
  const events = (await harness.temporal.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? []
  const calls = events.flatMap(({ activityTaskScheduledEventAttributes: call }) =>
    call?.activityType?.name === "callModel" ? [call] : [],
  )
  await harness.temporal.workflowService.resetWorkflowExecution({
    namespace: "default",
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: calls[n - 1]?.workflowTaskCompletedEventId ?? null,
    requestId: randomUUID(),
    reason: "a test",
  })
}

/** A run with two sub-agents, one after another, which then asks a person, and has another one. */
const createModel = () => {
  let tasks = 0
  return createTreeModel(
    (_, { messages }) => {
      const start = messages.findLastIndex(({ role }) => role === "user")
      const results = messages.slice(start).filter(({ role }) => role === "tool").length
      if (results === 2) return { calls: [["Bash", { command: "true" }]] }
      if (results === 4) return { text: "Done." }
      tasks += 1
      return { calls: [["Task", { description: "find", prompt: `task ${tasks}`, subagent_type: "explore" }]] }
    },
    () => ({ text: "Found.", outputTokens: childTokens }),
  )
}

const open = async (timing: Partial<Timing> = {}) => {
  harness = await openHarness({
    model: createModel(),
    config: {
      models: { main: { provider: "scripted", script: "unused.yaml", maxOutputTokens: 1_000 } },
      agents: { general: { delegation: "task" } },
      subagents: { maxChildrenPerAgent: 1 },
      tools: { policy: { Bash: "prompt" } },
      timing,
    },
  })
  const { client, store } = harness
  const id = await harness.start({ prompt: "PARENT", budget_tokens: budget, auto_approve: false })
  const checkpoints = new Set<string>()
  return {
    id,
    pausesAgain: () =>
      eventually(async () => {
        const pause = await store.pauses.current(id)
        if (pause === undefined || checkpoints.has(pause.checkpointId)) return false
        checkpoints.add(pause.checkpointId)
        return true
      }),
    /** Returns the budgets of the sub-agents, in the order of their starts: each has half of what is left. */
    budgets: async () => {
      const { items } = await store.sessions.list({ parentId: id, limit: 10 })
      const limits = items.map(async (row) => (await client.info(row.id)).limits?.budget_tokens.limit ?? 0)
      return (await Promise.all(limits)).toSorted((a, b) => b - a)
    },
    describe: () => harness.handle(id).describe(),
    shown: async () => (await client.info(id)).limits?.budget_tokens,
    used: async () => countedTokens(await treeUsage(store, id)),
  }
}

/** Returns the budgets of sub-agents, by the number of the run's model calls up to each start. */
const halves = (...steps: readonly number[]): readonly number[] =>
  steps.map((calls, before) => Math.floor((budget - calls * step - before * child) / 2))

it("what a run and its sub-agents used before a reset counts for its budget, while the run is open, too", async () => {
  const { id, pausesAgain, budgets, describe, shown, used } = await open()
  await pausesAgain()
  await reset(id, (await describe()).runId, 2)
  await pausesAgain()
  // That is before the run was opened.
  await reset(id, (await describe()).runId, 1)
  await pausesAgain()
  expect(await budgets()).toEqual(halves(1, 2, 4, 6, 7))
  expect(await used()).toBe(8 * step + 5 * child)
  expect(await shown()).toEqual({ limit: budget, used: await used() })
  await harness.client.cancel(id, { by: "test", via: "cli" })
  await harness.client.wait(id)
  expect(await shown()).toEqual({ limit: budget, used: await used() })
})

it("what was used before a reset counts after the workflow has continued as new, too", async () => {
  const { id, pausesAgain, budgets, describe, shown, used } = await open({ continueAsNewAfterEvents: 20 })
  await pausesAgain()
  const first = (await describe()).raw.workflowExecutionInfo?.firstRunId ?? ""
  expect((await describe()).runId).not.toBe(first)
  await reset(id, first, 1)
  await pausesAgain()
  await harness.client.decide({
    ...{ sessionId: id, checkpointId: (await harness.store.pauses.current(id))?.checkpointId ?? "" },
    ...{ all: { action: "accept" }, unlisted: "pending", actor: { by: "test", via: "cli" } },
  })
  await harness.client.wait(id)
  expect(await budgets()).toEqual(halves(1, 2, 4, 5, 7))
  expect(await shown()).toEqual({ limit: budget, used: await used() })
})
