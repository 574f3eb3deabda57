import { defaultLimit } from "./default-limit.ts"
import { sql } from "kysely"
import type { Database, Durability, Writer } from "../database/database.ts"
import type { ActorKind } from "../../contracts/http/audit.ts"
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
  readonly kind: ActorKind
  /** SHA-256 of what was decided on. */
  readonly hash: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** `kind`: a program by default. */
export type AuditEntry = Omit<AuditRow, "id" | "at" | "kind" | "hash"> &
  Partial<Pick<AuditRow, "kind" | "hash">> & { key?: string }

export interface AuditFilter {
  readonly sessionId?: string | undefined
  /** Milliseconds since the epoch; `toMs` is exclusive. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Only entries with a lower id. */
  readonly beforeId?: number | undefined
  readonly limit?: number | undefined
}

const actorKind = (actor: string): ActorKind => (actor === "person" || actor === "model" ? actor : "program")

/** Writes an entry as part of the caller's transaction. */
export const insertAudit = async (
  db: Writer,
  at: number,
  { key, sessionId, runId, action, by, via, kind = "program", hash = null, detail }: AuditEntry,
): Promise<void> => {
  await db
    .insertInto("audit")
    .values({
      ...{ key: key ?? null, at, session_id: sessionId, run_id: runId, action, by, via, hash },
      actor: kind,
      detail: toJson(detail),
    })
    .onConflict((conflict) =>
      conflict
        .column("key")
        .where(sql<boolean>`key is not null`)
        .doNothing(),
    )
    .execute()
}

/** Creates the audit log, which lists newest entries first. Entries remain, and can be added, after their session is deleted. */
export const createAudit = (database: Database) => ({
  /** `key` makes a repeated entry idempotent. `outlasts`: what the entry survives, a power cut by default. */
  record: (entry: AuditEntry, outlasts?: Durability) =>
    database.write((db) => insertAudit(db, database.now(), entry), outlasts),

  list: async ({ sessionId, fromMs, toMs, beforeId, limit }: AuditFilter) => {
    const rows = await database.read((db) => {
      let selected = db.selectFrom("audit").selectAll()
      if (sessionId !== undefined) selected = selected.where("session_id", "=", sessionId)
      if (fromMs !== undefined) selected = selected.where("at", ">=", fromMs)
      if (toMs !== undefined) selected = selected.where("at", "<", toMs)
      if (beforeId !== undefined) selected = selected.where("id", "<", beforeId)
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
      kind: actorKind(row.actor),
      hash: row.hash,
      detail: fromJson<Record<string, unknown>>(row.detail),
    }))
  },
})
