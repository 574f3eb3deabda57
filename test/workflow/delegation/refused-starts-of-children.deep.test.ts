import { randomUUID } from "node:crypto"
import { afterEach, describe, expect, it } from "vitest"
import { sessionWorkflowId } from "../../../domain/engine/engine-names.ts"
import { readToolResults, createTreeModel } from "../../helpers/limits/tree-model.ts"
import { eventually } from "../../helpers/eventually.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// A child whose last execution was still open failed its parent's execution: no outcome was recorded, and its other children were cancelled.

let harness: Harness
afterEach(() => harness.close())

const childOf = async (id: string): Promise<string> => (await harness.client.list({ parent: id })).items[0]?.id ?? ""

describe("a child that the engine refuses to start", () => {
  it("is a tool result for its parent, which can start it later", async () => {
    const again = ["subagents", { action: "send", target: "#1", message: "again" }] as const
    const yields = ["sessions_yield", {}] as const
    const openElsewhere = async () => {
      const workflowId = sessionWorkflowId(await childOf(id))
      await harness.temporal.workflow.start("llmAgent", { workflowId, taskQueue: `nobody-${randomUUID()}`, args: [] })
    }
    harness = await openHarness({
      model: createTreeModel(
        async (turn) => {
          if (turn === 1) return { calls: [["sessions_spawn", { task: "count" }]] }
          if (turn === 3) await openElsewhere()
          if (turn === 4) await harness.handle(await childOf(id)).terminate()
          if (turn === 3 || turn === 4) return { calls: [again] }
          return turn < 6 ? { calls: [yields] } : { text: "counted" }
        },
        (_, turn) => ({ text: `count ${turn}` }),
      ),
    })
    const id = await harness.start({ prompt: "PARENT" })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "counted" })
    const child = await childOf(id)
    const [, , refused, , counted] = await readToolResults(harness, id)
    expect(refused).toContain(`TASK_START_FAILED: session ${child} is still open in Temporal`)
    expect(counted).toContain("count 2")
    const runs = await harness.store.runs.list(child)
    expect(runs.map(({ status }) => status)).toEqual(["completed", "failed", "completed"])
  })

  it("is a tool result after its parent was reset, and the parent records its outcome", async () => {
    const held = Promise.withResolvers<void>()
    harness = await openHarness({
      model: createTreeModel(
        (turn) => (turn === 1 ? { calls: [["sessions_spawn", { task: "wait" }]] } : { text: "ended" }),
        async () => {
          // Whatever is asked of it meanwhile: a cancel, too, comes with the reset now and then.
          await held.promise
          return { text: "waited" }
        },
      ),
    })
    const { start, store, handle, temporal, client } = harness
    const id = await start({ prompt: "PARENT" })
    await eventually(async () => (await childOf(id)) !== "")
    const child = await childOf(id)
    await eventually(async () => (await store.runs.latest(child))?.startedAt != null)
    const { runId, workflowId } = await handle(id).describe()
    const { events } = await handle(id).fetchHistory()
    const startEvent = events?.find(({ startChildWorkflowExecutionInitiatedEventAttributes: begun }) => begun != null)
    const { workflowTaskCompletedEventId } = startEvent?.startChildWorkflowExecutionInitiatedEventAttributes ?? {}
    await temporal.workflowService.resetWorkflowExecution({
      namespace: temporal.options.namespace,
      workflowExecution: { workflowId, runId },
      reason: "a test",
      requestId: randomUUID(),
      workflowTaskFinishEventId: workflowTaskCompletedEventId ?? null,
    })
    await eventually(async () => (await readToolResults(harness, id)).some((text) => text.includes("is still open")))
    held.resolve()
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "ended" })
    await eventually(async () => (await store.runs.latest(child))?.finishedAt != null)
  })
})
