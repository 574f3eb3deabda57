import { dropManifestOf } from "../../sessions/outcome/pause-manifest.ts"
import type { WritableStore } from "../../store/store.ts"
import type { RunScope } from "../contract/run-scope.ts"
import { patchOwnRun } from "./activity-fence.ts"

/** Shows the run and the session as running, unless the run has ended: an abandoned attempt can come late. */
export const showRunning = async (store: WritableStore, { sessionId, runId }: RunScope): Promise<void> => {
  const status = "running"
  await patchOwnRun(store, { sessionId, runId, run: { status }, session: { status, blockedBy: null } })
}

/** Closes a pause, and shows the run and the session as running. */
export const closePause = async (store: WritableStore, scope: RunScope, checkpointId: string): Promise<void> => {
  await store.pauses.close(scope.sessionId, checkpointId)
  await dropManifestOf(store, scope.sessionId, checkpointId)
  await showRunning(store, scope)
}

/**
 * Closes a pause that its workflow never opened: the worker died right after the row was written, and then steering or a cancel arrived, so that the
 * workflow continued without the pause. It must no longer be decided.
 */
export const closeStalePause = async (store: WritableStore, scope: RunScope): Promise<void> => {
  const open = await store.pauses.current(scope.sessionId)
  if (open?.runId === scope.runId) await closePause(store, scope, open.checkpointId)
}
