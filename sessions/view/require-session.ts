import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionRow, Store } from "../../store/store.ts"

/** @throws AdjutantError `session_not_found` for an unknown or deleted session */
export const requireSession = async (store: Pick<Store, "sessions">, sessionId: string): Promise<SessionRow> => {
  const row = await store.sessions.get(sessionId)
  if (row === undefined || row.deletedAt !== null)
    throw new AdjutantError("session_not_found", `no session ${sessionId}: adjutant list shows those that exist`)
  return row
}

/** @throws AdjutantError `run_mismatch` when the session's run is another one than the sender thinks */
export const requireRun = (row: SessionRow, runId: string | undefined): void => {
  if (runId !== undefined && row.runId !== null && row.runId !== runId)
    throw new AdjutantError(
      "run_mismatch",
      `the current run of session ${row.id} is ${row.runId}, not ${runId}: look at the session again`,
    )
}
