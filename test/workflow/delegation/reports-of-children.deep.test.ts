import { afterEach, describe, expect, it } from "vitest"
import { openTimersOf } from "../../helpers/engine/open-timers.ts"
import { readToolResults, createTreeModel } from "../../helpers/limits/tree-model.ts"
import { eventually } from "../../helpers/eventually.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { wrapStore } from "../../helpers/store/wrap-store.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "test", via: "cli" }
const childOf = async (id: string): Promise<string> => (await harness.client.list({ parent: id })).items[0]?.id ?? ""

// A wait treated the pause that had just been decided as a pause that is still open.
describe("a wait for a child that paused", () => {
  const spawnTask = [
    "dynamic_subagent_task",
    { description: "write", instructions: "child", tools: ["Write"], max_steps: 5 },
  ] as const

  it.each(["its parent", "a client"])("returns what comes after a decision by %s", async (decider) => {
    harness = await openHarness({
      config: { agents: { general: { delegation: "tasks" } }, tools: { policy: { Write: "prompt" } } },
      model: createTreeModel(
        async (turn) => {
          if (turn === 1) return { calls: [spawnTask] }
          const task_ids = await childOf(id)
          const wait = ["wait_for_tasks", { task_ids }] as const
          if (turn === 2) return { calls: [wait] }
          if (turn > 3) return { text: "end" }
          if (decider === "its parent")
            return { calls: [["resume_subagent_task", { task_id: task_ids, reject_all: true }], wait] }
          await harness.client.decide({
            sessionId: task_ids,
            all: { action: "reject" },
            unlisted: "pending",
            actor,
            delivery: "signal",
          })
          return { calls: [wait] }
        },
        (_, turn) => (turn === 1 ? { calls: [["Write", { file_path: "x", content: "y" }]] } : { text: "gave up" }),
      ),
    })
    const id = await harness.start({ prompt: "PARENT", auto_approve: false })
    await harness.client.wait(id)
    const results = await readToolResults(harness, id)
    expect(results[1]).toContain("paused")
    expect(results.at(-1)).toContain("gave up")
    expect((await harness.client.info(id)).status).toBe("completed")
  })
})

// A child that paused before its parent had recorded its start was forgotten: the parent's clock ran during
// the pause.
describe("a child that reports a pause before its parent has recorded its start", () => {
  it("counts as paused from its start", async () => {
    const held = Promise.withResolvers<void>()
    let reported = false
    harness = await openHarness({
      model: createTreeModel(
        (turn) => (turn === 1 ? { calls: [["sessions_spawn", { task: "ask" }]] } : { text: "waits" }),
        async () => {
          await held.promise
          return { text: "asked" }
        },
      ),
      workerStore: (store) =>
        wrapStore(store, async (method, [run], call) => {
          const { runId, sessionId } = (run ?? {}) as { runId?: string; sessionId?: string }
          if (method === "runs.create" && sessionId !== (await parent.promise) && !reported) {
            reported = true
            // The engine delivers it before the start of the child, which the same workflow task asks for.
            const report = { id: sessionId, run_id: runId, status: "paused" }
            await harness.handle(await parent.promise).signal("child", report)
          }
          return call()
        }),
    })
    const parent = Promise.withResolvers<string>()
    const id = await harness.start({ prompt: "PARENT" })
    parent.resolve(id)
    await eventually(async () => (await harness.store.sessions.get(id))?.status === "paused")
    held.resolve()
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
  })
})

// Both calls began the same wait; when the child of one had ended, the other's pause was not shown any more.
describe("two synchronous sub-agents that pause in the same step", () => {
  it("leave their parent paused when one of them is cancelled", async () => {
    const task = ["Task", { description: "read", prompt: "read it", subagent_type: "explore" }] as const
    harness = await openHarness({
      config: { agents: { general: { delegation: "task" } }, tools: { policy: { Read: "prompt" } } },
      model: createTreeModel(
        (turn) => (turn === 1 ? { calls: [task, task] } : { text: "end" }),
        (_, turn) => (turn === 1 ? { calls: [["Read", { file_path: "x" }]] } : { text: "gave up" }),
      ),
    })
    const { client, start } = harness
    const id = await start({ prompt: "PARENT", auto_approve: false, timeout_seconds: 300 })
    const blocksOf = async () => {
      const [blocked] = (await client.info(id)).blocked_by
      return blocked?.session_ids ?? []
    }
    await eventually(async () => (await blocksOf()).length === 2)
    const [first = "", second = ""] = await blocksOf()
    await client.cancel(first, actor)
    await eventually(async () => (await blocksOf()).join() === second)
    expect((await client.info(id)).status).toBe("paused")
    expect(await openTimersOf(harness.handle(id))).toEqual([])
    await client.decide({ sessionId: second, all: { action: "reject" }, unlisted: "pending", actor })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
  })
})

// Temporal drops a signal that is sent in the task that continues as new: the parent took the child for paused until its end.
describe("a child that continues as new", () => {
  it.each([10, 14, 18, 22])("after %i events has sent its reports", async (continueAsNewAfterEvents) => {
    harness = await openHarness({
      config: {
        tools: { policy: { Write: "prompt" } },
        timing: { continueAsNewAfterEvents },
      },
      model: createTreeModel(
        (turn) => (turn === 1 ? { calls: [["sessions_spawn", { task: "write" }]] } : { text: "end" }),
        (_, turn) => (turn <= 2 ? { calls: [["Write", { file_path: `${turn}`, content: "y" }]] } : { text: "done" }),
      ),
    })
    const { client, start, temporal } = harness
    const id = await start({ prompt: "PARENT", auto_approve: false })
    await eventually(async () => (await childOf(id)) !== "", { timeoutMs: 20_000 })
    const child = await childOf(id)
    await eventually(async () => {
      if ((await client.info(child)).status === "paused")
        await client
          .decide({ sessionId: child, all: { action: "accept" }, unlisted: "pending", actor, delivery: "signal" })
          .catch(() => undefined)
      return (await client.info(child)).status === "completed"
    })
    const executions = []
    for await (const { runId } of temporal.workflow.list({ query: `WorkflowId="subagent/${child}"` }))
      executions.push(await temporal.workflow.getHandle(`subagent/${child}`, runId).fetchHistory())
    expect(executions.length).toBeGreaterThan(1)
    for (const { events = [] } of executions) {
      const sent = events?.filter((event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes != null)
      const arrived = events?.filter((event) => event.externalWorkflowExecutionSignaledEventAttributes != null)
      expect(arrived).toHaveLength(sent?.length ?? 0)
    }
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
  })
})
