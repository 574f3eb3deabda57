import type { AdjutantError } from "../contracts/adjutant-error.ts"
import { isFinal } from "../domain/is-final.ts"
import type { SessionRow } from "../store/store.ts"
import type { ClientContext } from "./client-context.ts"
import { withShortDeadline } from "./describe-session.ts"
import { reconcileSession } from "./reconcile-session.ts"
import { isTemporalAway } from "./translate-temporal-error.ts"

/** A row after asking the engine. `away` holds the error while the engine does not answer: then the row is as it is recorded. */
export interface Refreshed {
  readonly row: SessionRow
  readonly away?: AdjutantError
}

export const tryRefresh = async (context: ClientContext, row: SessionRow): Promise<Refreshed> => {
  if (isFinal(row.status)) return { row }
  try {
    return { row: await reconcileSession(withShortDeadline(context), row) }
  } catch (error) {
    if (!isTemporalAway(error)) throw error
    return { row, away: error }
  }
}

/** What the store has, mended by what the engine says where it answers. */
export const refreshSession = async (context: ClientContext, row: SessionRow): Promise<SessionRow> => {
  const refreshed = await tryRefresh(context, row)
  if (refreshed.away !== undefined)
    context.logger.warn({ session_id: row.id, error: refreshed.away }, "Temporal is away: showing what the store has")
  return refreshed.row
}
