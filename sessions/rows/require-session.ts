import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionRow, Store } from "../../store/store.ts"

/** Returns the refusal of a request whose checkpoint is no longer the open one of its session. */
export const staleCheckpoint = (checkpointId: string, sessionId: string): AdjutantError =>
  new AdjutantError("checkpoint_stale", `checkpoint ${checkpointId} is no longer open`, {
    reason: { about: "state", task_id: sessionId },
  })

/** Returns the refusal of a name that no session has. */
export const unknownSession = (name: string): AdjutantError =>
  new AdjutantError("session_not_found", `there is no session ${name}`, { reason: { about: "unknown" } })

/** Returns the refusal of a checkpoint id that no pause has. */
export const unknownCheckpoint = (checkpointId: string): AdjutantError =>
  new AdjutantError("checkpoint_not_found", `there is no checkpoint ${checkpointId.slice(0, 100)}`, {
    reason: { about: "checkpoint" },
  })

/** Returns the row of a session. @throws AdjutantError `session_not_found` for an unknown or deleted session */
export const requireSession = async (store: Pick<Store, "sessions">, sessionId: string): Promise<SessionRow> => {
  const row = await store.sessions.get(sessionId)
  if (row === undefined || row.deletedAt !== null) throw unknownSession(sessionId)
  return row
}

/** Requires that the session's run is the one that the sender expects. @throws AdjutantError `run_mismatch` */
export const requireRun = (row: SessionRow, runId: string | undefined): void => {
  if (runId !== undefined && row.runId !== null && row.runId !== runId)
    throw new AdjutantError(
      "run_mismatch",
      `the current run of session ${row.id} is ${row.runId}, not ${runId}: read the session and try again`,
    )
}
