import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { BlockedActivities } from "../contract/blocked-activities.ts"
import type { DelegationActivities } from "../contract/delegation-activities.ts"
import { writeOutbox } from "../run/write-outbox.ts"

/** Creates the activity that shows a session as paused while it waits only for paused children, and as running when one of them continues. */
export const createShowWaiting =
  (store: Pick<Store, "sessions" | "runs">): DelegationActivities["showWaiting"] =>
  async ({ sessionId, runId, paused, childIds = [] }) => {
    const run = await store.runs.get(runId)
    if (run === undefined || isFinal(run.status)) return
    const status = paused ? "paused" : "running"
    await store.runs.patch(runId, { status })
    const blockedBy: SessionRow["blockedBy"] = paused
      ? { type: "child_paused", since: new Date().toISOString(), session_ids: [...childIds] }
      : null
    await store.sessions.patch(sessionId, { status, blockedBy })
  }

/** Creates the activity that shows what keeps a run from continuing, and that nothing does any more. */
export const createShowBlocked =
  (store: Pick<Store, "sessions" | "runs" | "transaction">): BlockedActivities["showBlocked"] =>
  async ({ blockedBy, outbox, ...scope }) => {
    await writeOutbox(store, scope, outbox)
    const run = await store.runs.get(scope.runId)
    if (run === undefined || isFinal(run.status)) return
    await store.sessions.patch(scope.sessionId, { blockedBy })
  }
