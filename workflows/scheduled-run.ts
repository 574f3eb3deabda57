import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from "@temporalio/workflow"
import type { ScheduleActivities } from "../activities/contract/schedule-activities.ts"
import { dueTimeOf, type ScheduledRunInput, type ScheduledTask } from "../domain/schedules/scheduled-run.ts"
import { withoutStack } from "../domain/text/without-stack.ts"
import { activitiesOf } from "./activities-of.ts"

const activities = activitiesOf<ScheduleActivities>({
  startToCloseTimeout: 120_000,
  retry: { initialInterval: 1_000, maximumInterval: 60_000 },
})

const firstLookMs = 5_000
const longestLookMs = 300_000

const untilEnded = async (task: ScheduledTask): Promise<void> => {
  // Never spins: each look is an activity, and a timer comes before it.
  for (let waitMs = firstLookMs; ; waitMs = Math.min(longestLookMs, waitMs * 2)) {
    await sleep(waitMs)
    const ended = await activities.hasScheduledEnded(task)
    // A schedule can be paused by a failure of its workflow.
    if (ended === "failed")
      throw withoutStack(
        ApplicationFailure.create({
          type: "task_failed",
          message: `the task ${task.sessionId} failed`,
          nonRetryable: true,
        }),
      )
    if (ended) return
  }
}

/** Starts the task of a schedule, and lasts as long as the task, so that the schedule knows whether the one before has ended. */
export async function scheduledRun(input: ScheduledRunInput): Promise<ScheduledTask> {
  const { workflowId, startTime } = workflowInfo()
  const time = dueTimeOf(workflowId) ?? startTime.toISOString()
  const task = await activities.startScheduled({ ...input, time })
  setCurrentDetails(`**Task:** \`${task.sessionId}\``)
  try {
    await untilEnded(task)
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => activities.cancelScheduled(task))
    throw error
  }
  return task
}
