import { sql } from "kysely"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { Reader } from "../../database.ts"
import { decodeCursor, encodeCursor } from "./session-cursor.ts"
import { toSessionRow } from "./session-row.ts"
import type { SessionFilter, SessionRow } from "./session-rows.ts"

/** Returns the condition that a session belongs to a tree that the caller started. */
export const isOfCaller = (caller: string) =>
  sql<boolean>`sessions.root_id in (select mine.id from sessions as mine where mine.caller = ${caller})`

const defaultLimit = 50

/** Returns a page of the sessions without a tombstone, newest first. */
export const listSessions = async (
  db: Reader,
  filter: SessionFilter,
): Promise<{ items: readonly SessionRow[]; nextCursor: string | null }> => {
  const limit = filter.limit ?? defaultLimit
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new AdjutantError("invalid_argument", "limit must be a whole number of at least 1")
  const after = filter.cursor === undefined ? undefined : decodeCursor(filter.cursor)

  let query = db.selectFrom("sessions").selectAll().where("deleted_at", "is", null)
  if (filter.parentId !== undefined) query = query.where("parent_id", "=", filter.parentId)
  if (filter.rootId !== undefined) query = query.where("root_id", "=", filter.rootId)
  if (filter.status !== undefined) query = query.where("status", "=", filter.status)
  if (filter.agent !== undefined) query = query.where("agent", "=", filter.agent)
  if (filter.caller !== undefined) query = query.where(isOfCaller(filter.caller))
  if (filter.includeArchived !== true) query = query.where("archived_at", "is", null)
  if (after !== undefined) query = query.where(sql<boolean>`(created_at, num) < (${after.createdAt}, ${after.num})`)

  const rows = await query
    .orderBy("created_at", "desc")
    .orderBy("num", "desc")
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const more = rows.length > limit && last !== undefined
  return {
    items: page.map(toSessionRow),
    nextCursor: more ? encodeCursor({ createdAt: last.created_at, num: last.num }) : null,
  }
}
