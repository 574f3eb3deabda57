import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from "@temporalio/client"
import type { ScheduleConfig } from "../../contracts/config/schedules.ts"
import { runScheduleId } from "../../domain/schedules/scheduled-run.ts"
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
  name: string,
  { cron, timezone, overlap, catchUpMinutes }: ScheduleConfig,
) => ({
  spec: { cronExpressions: [cron], timezone },
  policies: { overlap: overlaps[overlap], catchupWindow: `${catchUpMinutes} minutes` as const },
  action: {
    type: "startWorkflow" as const,
    workflowType: "scheduledRun",
    taskQueue,
    workflowId: `scheduled/${name}`,
    args: [{ name }],
  },
})

/** Makes a schedule as the configuration has it. One that a person has paused stays paused. */
export const ensureRunSchedule = async (
  { temporal, taskQueue }: ScheduleEngine,
  name: string,
  schedule: ScheduleConfig,
): Promise<void> => {
  const scheduleId = runScheduleId(taskQueue, name)
  const definition = definitionOf(taskQueue, name, schedule)
  try {
    await temporal.schedule.create({ scheduleId, ...definition })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await temporal.schedule.getHandle(scheduleId).update(({ state }) => ({ ...definition, state }))
  }
}

/** A schedule as the engine has it. */
export interface RunSchedule {
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
    const { info, state } = await temporal.schedule.getHandle(runScheduleId(taskQueue, name)).describe()
    return {
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
