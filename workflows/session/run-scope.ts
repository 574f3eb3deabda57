import type { RunScope } from "../../activities/contract/run-scope.ts"
import type { SessionContext } from "./session-context.ts"

/** Returns which run an activity works for. */
export const runScope = ({ state }: Pick<SessionContext, "state">): RunScope => ({
  sessionId: state.sessionId,
  runId: state.run.reference.run_id,
  snapshotHash: state.run.reference.snapshot_hash,
})
