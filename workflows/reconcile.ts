import { proxyLocalActivities } from "@temporalio/workflow"
import type { ReconcileActivities } from "../activities/contract/agent-activities.ts"
import type { ReconcileInput, ReconcilePass } from "../domain/engine/reconcile-pass.ts"

const { reconcileSessions } = proxyLocalActivities<ReconcileActivities>({
  startToCloseTimeout: 300_000,
  retry: { maximumAttempts: 3 },
})

/** One pass of the reconciler; a Schedule starts it, and so does an operator. */
export async function reconcile(input: ReconcileInput = {}): Promise<ReconcilePass> {
  return reconcileSessions(input)
}
