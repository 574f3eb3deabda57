import type { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { isEngineMismatch } from "../engine/create-engine-guard.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { withShortDeadline } from "../../engine/describe-execution.ts"
import { reconcileSession } from "./reconcile-session.ts"
import { isTemporalUnavailable } from "../../engine/translate-temporal-error.ts"

/** A row after asking the engine. `away` is the error while the engine cannot tell: then the row is as it is recorded. */
export interface Refreshed {
  readonly row: SessionRow
  readonly away?: AdjutantError
}

/** Asks the engine for a caller that waits, and records an outcome that is missing. */
export const tryRefresh = async (context: SessionsContext, row: SessionRow): Promise<Refreshed> => {
  if (isFinal(row.status)) return { row }
  try {
    const { row: current, problem } = await reconcileSession(withShortDeadline(context), row)
    return { row: current, ...(problem === undefined ? {} : { away: problem }) }
  } catch (error) {
    if (!isTemporalUnavailable(error) && !isEngineMismatch(error)) throw error
    return { row, away: error }
  }
}

/** Returns what the store has, with a missed outcome recorded. */
export const refreshSession = async (context: SessionsContext, row: SessionRow): Promise<SessionRow> => {
  const refreshed = await tryRefresh(context, row)
  if (refreshed.away !== undefined)
    context.logger.warn(
      { session_id: row.id, error: refreshed.away },
      "Temporal cannot tell about a session: showing what the store has",
    )
  return refreshed.row
}
