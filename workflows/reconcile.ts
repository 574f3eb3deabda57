import { sleep } from "@temporalio/workflow"
import type { ReconcileActivities } from "../activities/contract/agent-activities.ts"
import type { ReconcileInput, ReconcilePass } from "../domain/engine/reconcile-pass.ts"
import { activitiesOf, localActivitiesOf } from "./activities-of.ts"
import { isNotPickedUp } from "./is-not-picked-up.ts"

const insideTask = localActivitiesOf<ReconcileActivities>({
  startToCloseTimeout: 300_000,
  retry: { maximumAttempts: 3 },
})

/** A pass continues where an interrupted one stopped. A worker that `adjutant run` started does not poll this queue for activities. */
const onWorker = activitiesOf<ReconcileActivities>({
  scheduleToStartTimeout: 3_000,
  startToCloseTimeout: 3_600_000,
  heartbeatTimeout: 60_000,
  retry: { initialInterval: 1_000, maximumInterval: 30_000, maximumAttempts: 5 },
})

const makePass = async (input: ReconcileInput): Promise<ReconcilePass> => {
  try {
    return await onWorker.reconcileSessions(input)
  } catch (error) {
    if (!isNotPickedUp(error)) throw error
    return await insideTask.reconcileSessions(input)
  }
}

/** Long enough for a child's start to reach its parent. */
const secondLookMs = 5_000

/** Runs one pass of the reconciler. A Schedule starts it, and so does an operator. Children that look like orphans are checked twice. */
export async function reconcile(input: ReconcileInput = {}): Promise<ReconcilePass> {
  const pass = await makePass(input)
  if (input.dryRun === true || (pass.suspects ?? 0) === 0) return pass
  await sleep(secondLookMs)
  const { orphans } = await makePass({ ...input, jobs: ["orphans"] })
  return { ...pass, orphans: pass.orphans + orphans }
}
