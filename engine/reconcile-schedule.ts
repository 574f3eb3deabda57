import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from "@temporalio/client"
import type { EngineClient } from "./engine-client.ts"

export interface ReconcileSchedule {
  readonly temporal: Pick<EngineClient, "schedule">
  readonly taskQueue: string
  /** Left out: once a minute, or as another worker set it. */
  readonly everySeconds?: number
}

const defaultSeconds = 60

/** A number that somebody named replaces what the schedule has. */
const changeInterval = async (
  temporal: ReconcileSchedule["temporal"],
  scheduleId: string,
  everySeconds: number,
): Promise<void> => {
  await temporal.schedule.getHandle(scheduleId).update((schedule) => ({
    ...schedule,
    spec: { intervals: [{ every: `${everySeconds}s` }] },
  }))
}

export const reconcileScheduleId = (taskQueue: string): string => `reconcile-${taskQueue}`

/** The one reconciler of a store: made by whichever worker comes first. */
export const ensureReconcileSchedule = async ({
  temporal,
  taskQueue,
  everySeconds,
}: ReconcileSchedule): Promise<void> => {
  const scheduleId = reconcileScheduleId(taskQueue)
  try {
    await temporal.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: `${everySeconds ?? defaultSeconds}s` }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: "1 minute" },
      action: { type: "startWorkflow", workflowType: "reconcile", taskQueue, workflowId: `reconcile/${taskQueue}` },
    })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    if (everySeconds !== undefined) await changeInterval(temporal, scheduleId, everySeconds)
  }
}

/** When the store's schedule was made in this engine, in ISO 8601; null where there is none. */
export const scheduleCreatedAt = async (
  temporal: Pick<EngineClient, "schedule">,
  taskQueue: string,
): Promise<string | null> => {
  try {
    const { info } = await temporal.schedule.getHandle(reconcileScheduleId(taskQueue)).describe()
    return info.createdAt.toISOString()
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null
    throw error
  }
}
