import type { Session } from "../../contracts/session/session.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { tryRefresh } from "../reconcile/reconcile-session.ts"
import { sessionPages } from "../rows/page.ts"
import { sessionView } from "../view/session-view.ts"

/** Number of pages that are searched; a caller's older sessions are found only by their ids. */
const maxPages = 10

/** Returns whether a caller started a session with a delegation tool; a program can also create sessions without one. */
const isOf = (row: SessionRow, caller: string): boolean =>
  row.parentId === null && row.deletedAt === null && row.caller === caller && row.internal["tool"] !== undefined

/** Counts the sessions of a caller that are not final. At the limit the engine is asked, so that a dead session does not count. */
export const activeSpawned = async (context: SessionsContext, caller: string, limit: number): Promise<number> => {
  const open = (await context.store.sessions.listOpen()).filter((row) => isOf(row, caller))
  if (open.length < limit) return open.length
  const fresh = await Promise.all(open.map((row) => tryRefresh(context, row)))
  return fresh.filter(({ row }) => !isFinal(row.status)).length
}

/** Returns the sessions that a caller started from outside a run, in the order of their start. */
export const spawnedBy = async (context: SessionsContext, caller: string): Promise<readonly Session[]> => {
  const { store } = context
  const rows: SessionRow[] = []
  let pages = 0
  for await (const page of sessionPages(store, { includeArchived: true, caller })) {
    rows.push(...page.filter((row) => isOf(row, caller)))
    pages += 1
    if (pages === maxPages) break
  }
  return await Promise.all(rows.toReversed().map((row) => sessionView(context, row)))
}
