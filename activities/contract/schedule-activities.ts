import type { DueRun, ScheduledTask } from "../../domain/schedules/scheduled-run.ts"

export interface ScheduleActivities {
  /** Starts the task of a schedule; a retry returns the one that was started. */
  startScheduled(due: DueRun): Promise<ScheduledTask>
  /** Returns whether the task has ended, and whether it failed. */
  hasScheduledEnded(task: ScheduledTask): Promise<boolean | "failed">
  cancelScheduled(task: ScheduledTask): Promise<void>
}
