import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from "@temporalio/client"

export interface ReconcileSchedule {
  readonly temporal: Client
  readonly taskQueue: string
  readonly everySeconds: number
}

/** The one reconciler of a store: made by whichever worker comes first. */
export const ensureReconcileSchedule = async ({
  temporal,
  taskQueue,
  everySeconds,
}: ReconcileSchedule): Promise<void> => {
  try {
    await temporal.schedule.create({
      scheduleId: `reconcile-${taskQueue}`,
      spec: { intervals: [{ every: `${everySeconds}s` }] },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: "1 minute" },
      action: { type: "startWorkflow", workflowType: "reconcile", taskQueue, workflowId: `reconcile/${taskQueue}` },
    })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
  }
}
