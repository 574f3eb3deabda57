import type { SessionRow, Store } from "../../store/store.ts"
import type { BlockedActivities } from "../contract/blocked-activities.ts"
import type { DelegationActivities } from "../contract/delegation-activities.ts"
import { writeOutbox } from "../transcript/write-outbox.ts"
import { patchOwnRun } from "../transcript/activity-fence.ts"

/** Creates the activity that shows a session as paused while it waits only for paused children, and as running when one of them continues. */
export const createShowWaiting =
  (store: Pick<Store, "runs">): DelegationActivities["showWaiting"] =>
  async ({ sessionId, runId, paused, childIds = [] }) => {
    const status = paused ? "paused" : "running"
    const blockedBy: SessionRow["blockedBy"] = paused
      ? { type: "child_paused", since: new Date().toISOString(), session_ids: [...childIds] }
      : null
    await patchOwnRun(store, { sessionId, runId, run: { status }, session: { status, blockedBy } })
  }

/** Creates the activity that shows what keeps a run from continuing, and that nothing does any more. */
export const createShowBlocked =
  (store: Pick<Store, "runs" | "transaction">): BlockedActivities["showBlocked"] =>
  async ({ blockedBy, outbox, ...scope }) => {
    await writeOutbox(store, scope, outbox)
    await patchOwnRun(store, { ...scope, session: { blockedBy } })
  }
