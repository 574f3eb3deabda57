import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely"
import type { Status } from "../../../contracts/status.ts"
import type { DatabaseSchema } from "../../schema/schema.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { Reader } from "../../database/database.ts"
import { containing } from "../../columns/like-pattern.ts"
import { decodeCursor, encodeCursor } from "./session-cursor.ts"
import type { SessionFilter } from "./session-rows.ts"
import { type SessionRow, sessionTable } from "../../schema/session-table.ts"

/** Returns the condition that a session belongs to a tree that the caller started. */
export const isOfCaller = (caller: string) =>
  sql<boolean>`sessions.root_id in (select mine.id from sessions as mine where mine.caller = ${caller})`

/** Returns the condition that a title, label or id contains a text, in upper or lower case. */
const contains = (text: string) => {
  const pattern = containing(text.toLowerCase())
  return sql<boolean>`(lower(coalesce(title, '')) like ${pattern} escape '\\' or lower(coalesce(label, '')) like ${pattern} escape '\\' or lower(id) like ${pattern} escape '\\')`
}

const matches =
  (filter: Omit<SessionFilter, "limit" | "cursor">) =>
  (eb: ExpressionBuilder<DatabaseSchema, "sessions">): Expression<SqlBool> => {
    const { archived = filter.includeArchived === true ? undefined : false } = filter
    return eb.and([
      eb("deleted_at", "is", null),
      ...(filter.parentId === undefined ? [] : [eb("parent_id", "=", filter.parentId)]),
      ...(filter.rootId === undefined ? [] : [eb("root_id", "=", filter.rootId)]),
      ...(filter.status === undefined ? [] : [eb("status", "=", filter.status)]),
      ...(filter.agent === undefined ? [] : [eb("agent", "=", filter.agent)]),
      ...(filter.caller === undefined ? [] : [isOfCaller(filter.caller)]),
      ...(archived === undefined ? [] : [eb("archived_at", archived ? "is not" : "is", null)]),
      ...(filter.q === undefined ? [] : [contains(filter.q)]),
    ])
  }

const noSessions: Readonly<Record<Status, number>> = {
  pending: 0,
  running: 0,
  paused: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  timed_out: 0,
}

export const countSessions = async (
  db: Reader,
  filter: Omit<SessionFilter, "status" | "limit" | "cursor">,
): Promise<Readonly<Record<Status, number>>> => {
  const rows = await db
    .selectFrom("sessions")
    .select(({ fn }) => ["status", fn.countAll<number>().as("sessions")])
    .where(matches(filter))
    .groupBy("status")
    .execute()
  return { ...noSessions, ...Object.fromEntries(rows.map(({ status, sessions }) => [status, Number(sessions)])) }
}

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

  let query = db.selectFrom("sessions").selectAll().where(matches(filter))
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
    items: page.map(sessionTable.toRow),
    nextCursor: more ? encodeCursor({ createdAt: last.created_at, num: last.num }) : null,
  }
}
