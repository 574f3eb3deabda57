import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from "@temporalio/client"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ScheduleConfig } from "../../contracts/config/schedules.ts"
import { type ScheduledRunInput, runScheduleId, runScheduleName } from "../../domain/schedules/scheduled-run.ts"
import type { EngineClient } from "../engine-client.ts"

interface ScheduleEngine {
  readonly temporal: Pick<EngineClient, "schedule">
  readonly taskQueue: string
}

const overlaps = {
  skip: ScheduleOverlapPolicy.SKIP,
  queue: ScheduleOverlapPolicy.BUFFER_ONE,
  "cancel-running": ScheduleOverlapPolicy.CANCEL_OTHER,
} as const

const definitionOf = (
  taskQueue: string,
  input: ScheduledRunInput,
  { cron, timezone, overlap, catchUpMinutes, pauseOnFailure }: ScheduleConfig,
) => ({
  spec: { cronExpressions: [cron], timezone },
  policies: { overlap: overlaps[overlap], catchupWindow: `${catchUpMinutes} minutes` as const, pauseOnFailure },
  action: {
    type: "startWorkflow" as const,
    workflowType: "scheduledRun",
    taskQueue,
    // Temporal adds the time. Stores that share a Temporal can have schedules of one name that are due together.
    workflowId: `scheduled/${taskQueue}/${input.name}`,
    args: [input],
  },
})

/** Returns the error for the user if Temporal refuses the times of a schedule, which its client reports as a TypeError; else the error itself. */
const refusedTimes = (error: unknown, name: string, { cron, timezone }: ScheduleConfig): unknown =>
  error instanceof TypeError
    ? new AdjutantError(
        "invalid_argument",
        `Temporal does not accept the cron expression "${cron}" or the time zone ${timezone} of the schedule ${name}: ${error.message}; correct them`,
        { cause: error },
      )
    : error

/** Creates or changes a schedule so that it is as the configuration says. One that a person has paused stays paused. @throws AdjutantError `invalid_argument` */
export const ensureRunSchedule = async (
  { temporal, taskQueue }: ScheduleEngine,
  name: string,
  schedule: ScheduleConfig,
): Promise<void> => {
  const scheduleId = runScheduleId(taskQueue, name)
  const definition = definitionOf(taskQueue, { name }, schedule)
  try {
    await temporal.schedule.create({ scheduleId, ...definition }).catch(async (error: unknown) => {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      await temporal.schedule.getHandle(scheduleId).update(({ state }) => ({ ...definition, state }))
    })
  } catch (error) {
    throw refusedTimes(error, name, schedule)
  }
}

/** Creates a schedule that is not in the configuration. Returns false if there is one of this name. @throws AdjutantError `invalid_argument` */
export const addRunSchedule = async (
  { temporal, taskQueue }: ScheduleEngine,
  input: ScheduledRunInput,
  schedule: ScheduleConfig,
): Promise<boolean> => {
  try {
    const scheduleId = runScheduleId(taskQueue, input.name)
    await temporal.schedule.create({ scheduleId, ...definitionOf(taskQueue, input, schedule) })
    return true
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false
    throw refusedTimes(error, input.name, schedule)
  }
}

/** Deletes a schedule; returns false if there is none. Tasks that it has started continue. */
export const deleteRunSchedule = async ({ temporal, taskQueue }: ScheduleEngine, name: string): Promise<boolean> => {
  try {
    await temporal.schedule.getHandle(runScheduleId(taskQueue, name)).delete()
    return true
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false
    throw error
  }
}

/** Returns the names of the store's schedules that the engine has. One that was made just now may be missing. */
export const runScheduleNames = async ({ temporal, taskQueue }: ScheduleEngine): Promise<readonly string[]> => {
  const names: string[] = []
  for await (const { scheduleId } of temporal.schedule.list()) {
    const name = runScheduleName(taskQueue, scheduleId)
    if (name !== undefined) names.push(name)
  }
  return names.toSorted()
}

/** A schedule as the engine has it. */
export interface RunSchedule {
  /** What its tasks are started with; undefined if a task of another kind was put there. */
  readonly input: ScheduledRunInput | undefined
  /** Why it is paused; empty if nobody said so. */
  readonly note: string
  readonly isPaused: boolean
  /** The next times, in ISO 8601. */
  readonly next: readonly string[]
  /** The latest starts, the last one first, in ISO 8601. */
  readonly started: readonly string[]
}

const mostTimes = 5

/** Returns a schedule; undefined if no worker has made it yet. */
export const describeRunSchedule = async (
  { temporal, taskQueue }: ScheduleEngine,
  name: string,
): Promise<RunSchedule | undefined> => {
  try {
    const { action, info, state } = await temporal.schedule.getHandle(runScheduleId(taskQueue, name)).describe()
    const [input] = action.args ?? []
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine returns what definitionOf has put there
      input: input as ScheduledRunInput | undefined,
      note: state.note ?? "",
      isPaused: state.paused,
      next: info.nextActionTimes.slice(0, mostTimes).map((at) => at.toISOString()),
      started: info.recentActions.toReversed().map(({ takenAt }) => takenAt.toISOString()),
    }
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined
    throw error
  }
}

export type ScheduleChange = "pause" | "resume" | "trigger"

/** Changes a schedule; returns false if no worker has made it yet. */
export const changeRunSchedule = async (
  { temporal, taskQueue }: ScheduleEngine,
  name: string,
  { change, note }: { readonly change: ScheduleChange; readonly note: string },
): Promise<boolean> => {
  const handle = temporal.schedule.getHandle(runScheduleId(taskQueue, name))
  try {
    if (change === "pause") await handle.pause(note)
    else if (change === "resume") await handle.unpause(note)
    else await handle.trigger()
    return true
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false
    throw error
  }
}
