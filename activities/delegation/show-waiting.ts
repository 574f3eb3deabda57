import { isFinal } from "../../domain/run/is-final.ts"
import type { Store } from "../../store/store.ts"
import type { DelegationActivities } from "../contract/delegation-activities.ts"

/** A session that only waits for paused children shows as paused, and as running when one of them goes on. */
export const createShowWaiting =
  (store: Pick<Store, "sessions" | "runs">): DelegationActivities["showWaiting"] =>
  async ({ sessionId, runId, paused }) => {
    const run = await store.runs.get(runId)
    if (run === undefined || isFinal(run.status)) return
    const status = paused ? "paused" : "running"
    await store.runs.patch(runId, { status })
    await store.sessions.patch(sessionId, { status })
  }
