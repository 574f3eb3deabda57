import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { laneSignalNames } from "../../domain/lane/lane-message.ts"
import { laneWorkflowId } from "../../domain/engine/engine-names.ts"
import { engineLimits, type LimitedEngine, startLimitedEngine } from "../helpers/engine/limited-engine.ts"
import { getLaneHandle, queryLane } from "../helpers/engine/lane-harness.ts"
import { type Harness, openHarnessAt } from "../helpers/engine/open-harness-at.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"
import { eventually } from "../helpers/eventually.ts"

let engine: LimitedEngine
let harness: Harness

beforeAll(async () => {
  engine = await startLimitedEngine({ [engineLimits.pendingSignals]: 20 })
})
afterAll(() => engine.stop())
afterEach(() => harness.close())

const atOnce = 50
/** The cause of a task that is repeated because events arrived while it ran; not a defect. */
const newEventsArrived = 1

describe("a lane with more queued sessions than signals can be pending", () => {
  it("grants 2,200 slots, and frees the slot of each session that cannot be reached", async () => {
    harness = await openHarnessAt(engine.address, { model: createFakeTurns(), worker: false })
    const { temporal, taskQueue } = harness
    const request = (ticket: number) =>
      temporal.workflow.signalWithStart("lane", {
        workflowId: laneWorkflowId(taskQueue),
        taskQueue,
        args: [{}],
        signal: laneSignalNames.acquire,
        signalArgs: [
          {
            ...{ workflowId: `subagent/${taskQueue}-${ticket}`, runId: "r", turn: 1, resumes: false, ticket },
            ...{ capacity: 500, checkMs: 1_000, idleMs: 600_000, continueAsNewAfterEvents: 0, maxSignals: 15 },
          },
        ],
      })
    for (let first = 1; first <= 2_200; first += atOnce)
      await Promise.all(Array.from({ length: atOnce }, (_, index) => request(first + index)))
    await harness.startWorker()
    await eventually(async () => {
      const { queued_total: queued, holders } = await queryLane(harness)
      return queued === 0 && holders.length === 0
    })
    const failed: unknown[] = []
    for await (const { runId } of temporal.workflow.list({ query: `WorkflowId = "${laneWorkflowId(taskQueue)}"` })) {
      const { events } = await temporal.workflow.getHandle(laneWorkflowId(taskQueue), runId).fetchHistory()
      failed.push(
        ...(events ?? []).filter(
          ({ workflowTaskFailedEventAttributes: task }) => task != null && task.cause !== newEventsArrived,
        ),
      )
    }
    expect(failed).toEqual([])
    await getLaneHandle(harness).terminate()
  })
})
