import { proxyLocalActivities } from "@temporalio/workflow"
import type { ReconcileActivities, ReconcilePass } from "../activities/agent-activities.ts"

const { reconcileSessions } = proxyLocalActivities<ReconcileActivities>({
  startToCloseTimeout: 300_000,
  retry: { maximumAttempts: 3 },
})

/** One pass of the reconciler; a Schedule starts it. */
export async function reconcile(): Promise<ReconcilePass> {
  return reconcileSessions()
}
