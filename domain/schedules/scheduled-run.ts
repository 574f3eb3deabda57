/** Input of the `scheduledRun` workflow. */
export interface ScheduledRunInput {
  /** The schedule's name in the configuration. */
  readonly name: string
}

/** One start of a schedule. */
export interface DueRun extends ScheduledRunInput {
  /** When it was due, in ISO 8601; for one that a person triggers, when that was. */
  readonly time: string
}

/** The task that a schedule has started. */
export interface ScheduledTask {
  readonly sessionId: string
  readonly runId: string
}

/** Returns the id of a store's schedule in the engine. */
export const runScheduleId = (taskQueue: string, name: string): string => `schedule-${taskQueue}-${name}`

/** Returns the time at which a run was due, which Temporal adds to the id of its workflow. */
export const dueTimeOf = (workflowId: string): string | undefined =>
  /-(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)$/.exec(workflowId)?.[1]
