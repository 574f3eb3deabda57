import type { AuditEntry } from "../../contracts/http/audit.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { AuditRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import type { Page } from "../rows/page.ts"
import { timeOf } from "./time-of.ts"

/** Which entries a list contains. Times are ISO 8601; `to` is exclusive. `cursor`: the `next_cursor` of the previous page. */
export interface AuditQuery {
  readonly sessionId?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

const defaultEntries = 100

const idOf = (cursor: string | undefined): number | undefined => {
  if (cursor === undefined) return undefined
  if (!/^\d{1,15}$/.test(cursor))
    throw new AdjutantError("invalid_argument", "cursor is not the next_cursor of a page of the audit: omit it")
  return Number(cursor)
}

const entryOf = (row: AuditRow, redact: SessionsContext["redact"]): AuditEntry => ({
  id: row.id,
  at: row.at,
  session_id: row.sessionId,
  run_id: row.runId,
  action: row.action,
  by: redact(row.by),
  via: row.via,
  actor: row.kind,
  hash: row.hash,
  detail: JSON.parse(redact(JSON.stringify(row.detail))),
})

/** Returns entries of the audit log, newest first, without known secrets. @throws AdjutantError `invalid_argument` */
export const readAudit = async (
  { store, redact }: Pick<SessionsContext, "store" | "redact">,
  { sessionId, from, to, cursor, limit = defaultEntries }: AuditQuery,
): Promise<Page<AuditEntry>> => {
  const range = { sessionId, fromMs: timeOf("from", from), toMs: timeOf("to", to), beforeId: idOf(cursor) }
  const rows = await store.audit.list({ ...range, limit: limit + 1 })
  const items = rows.slice(0, limit).map((row) => entryOf(row, redact))
  return { items, next_cursor: rows.length > limit ? String(items.at(-1)?.id) : null }
}
