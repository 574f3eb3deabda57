import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from "@temporalio/client"
import type { EngineClient } from "./engine-client.ts"

export interface ReconcileSchedule {
  readonly temporal: Pick<EngineClient, "schedule">
  readonly taskQueue: string
  /** Absent: an existing schedule keeps its interval, and a new one gets the default. */
  readonly everySeconds?: number
}

const defaultSeconds = 900

const changeInterval = async (
  temporal: ReconcileSchedule["temporal"],
  scheduleId: string,
  everySeconds: number,
): Promise<void> => {
  const handle = temporal.schedule.getHandle(scheduleId)
  const { intervals } = (await handle.describe()).spec
  if (intervals?.length === 1 && intervals[0]?.every === everySeconds * 1_000) return
  await handle.update((schedule) => ({ ...schedule, spec: { intervals: [{ every: `${everySeconds}s` }] } }))
}

export const reconcileScheduleId = (taskQueue: string): string => `reconcile-${taskQueue}`

/** Creates the schedule of the store's reconciler; of several workers, the first one does. */
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
      action: {
        type: "startWorkflow",
        workflowType: "reconcile",
        taskQueue,
        workflowId: `reconcile/${taskQueue}`,
      },
    })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    if (everySeconds !== undefined) await changeInterval(temporal, scheduleId, everySeconds)
  }
}

/** Starts a pass now. While one runs, it starts none. */
export const triggerReconciler = async (temporal: ReconcileSchedule["temporal"], taskQueue: string): Promise<void> => {
  await temporal.schedule.getHandle(reconcileScheduleId(taskQueue)).trigger(ScheduleOverlapPolicy.SKIP)
}

/** Returns when the store's schedule was created in this engine, in ISO 8601; null if there is none. */
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
