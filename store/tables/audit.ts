import { defaultLimit } from "./default-limit.ts"
import { sql } from "kysely"
import type { Database, Durability, Writer } from "../database.ts"
import { toIso } from "../columns/iso-time.ts"
import { fromJson, toJson } from "../columns/json-column.ts"

export interface AuditRow {
  readonly id: number
  readonly at: string
  readonly sessionId: string
  readonly runId: string | null
  readonly action: string
  readonly by: string
  readonly via: string
  readonly detail: Readonly<Record<string, unknown>>
}

export type AuditEntry = Omit<AuditRow, "id" | "at"> & { key?: string }

export interface Audit {
  /** `key` makes a repeated entry idempotent. `outlasts`: what the entry survives, a power cut by default. */
  record(entry: AuditEntry, outlasts?: Durability): Promise<void>
  list(filter: { sessionId?: string; limit?: number }): Promise<readonly AuditRow[]>
}

/** Writes an entry as part of the caller's transaction. */
export const insertAudit = async (
  db: Writer,
  at: number,
  { key, sessionId, runId, action, by, via, detail }: AuditEntry,
): Promise<void> => {
  await db
    .insertInto("audit")
    .values({ key: key ?? null, at, session_id: sessionId, run_id: runId, action, by, via, detail: toJson(detail) })
    .onConflict((conflict) =>
      conflict
        .column("key")
        .where(sql<boolean>`key is not null`)
        .doNothing(),
    )
    .execute()
}

/** Creates the audit log, which lists newest entries first. Entries remain, and can be added, after their session is deleted. */
export const createAudit = (database: Database): Audit => ({
  record: (entry, outlasts) => database.write((db) => insertAudit(db, database.now(), entry), outlasts),

  list: async ({ sessionId, limit }) => {
    const rows = await database.read((db) => {
      const all = db.selectFrom("audit").selectAll()
      const selected = sessionId === undefined ? all : all.where("session_id", "=", sessionId)
      return selected
        .orderBy("id", "desc")
        .limit(limit ?? defaultLimit)
        .execute()
    })
    return rows.map((row) => ({
      id: row.id,
      at: toIso(row.at),
      sessionId: row.session_id,
      runId: row.run_id,
      action: row.action,
      by: row.by,
      via: row.via,
      detail: fromJson<Record<string, unknown>>(row.detail),
    }))
  },
})
