import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { unknownSession } from "../../domain/caller/missing-targets.ts"
import type { SessionRow, Store } from "../../store/store.ts"

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
