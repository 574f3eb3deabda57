import type { ScheduleConfig } from "../../contracts/config/schedules.ts"
import type { Authority } from "../caller/authority.ts"
import type { Identity } from "../people/person.ts"

/** A schedule that a person or a program has added: the engine has what the configuration has of others. */
export interface AddedSchedule {
  readonly schedule: ScheduleConfig
  /** Who added it: its tasks have the rights of this caller, and no more. */
  readonly creator: {
    readonly by: string
    readonly via: string
    readonly authority?: Authority
    readonly identity?: Identity
  }
  /** Proves that a program with this store added it: no task starts without a valid one. */
  readonly signature?: string
}

/** Input of the `scheduledRun` workflow. */
export interface ScheduledRunInput {
  /** The schedule's name. */
  readonly name: string
  /** Absent: the configuration has the schedule. */
  readonly added?: AddedSchedule
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

const prefixOf = (taskQueue: string): string => `schedule-${taskQueue}-`

/** Returns the id of a store's schedule in the engine. */
export const runScheduleId = (taskQueue: string, name: string): string => `${prefixOf(taskQueue)}${name}`

/** Returns the name of the schedule with this id; undefined if it is not one of the store. */
export const runScheduleName = (taskQueue: string, scheduleId: string): string | undefined =>
  scheduleId.startsWith(prefixOf(taskQueue)) ? scheduleId.slice(prefixOf(taskQueue).length) : undefined

/** Returns the time at which a run was due, which Temporal adds to the id of its workflow. */
export const dueTimeOf = (workflowId: string): string | undefined =>
  /-(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)$/.exec(workflowId)?.[1]
