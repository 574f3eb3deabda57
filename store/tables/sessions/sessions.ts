import { type Insertable, type Selectable, sql, type Updateable } from "kysely"
import { builtInCallers, httpCallerId } from "../../../domain/caller/caller-id.ts"
import type { Database, Reader, Writer } from "../../database/database.ts"
import { archiveEnded, listEnded, listUnerased } from "./ended-sessions.ts"
import { eraseOldEvents, expireTrees, type Expiry, listExpired } from "./expired-sessions.ts"
import type { DatabaseSchema } from "../../schema/schema.ts"
import { eraseSessions } from "./erase-session.ts"
import { oneRow } from "../../columns/one-row.ts"
import { fromIsoOrNull } from "../../columns/iso-time.ts"
import { countSessions, isOfCaller, listSessions } from "./list-sessions.ts"
import { isInPage } from "./session-cursor.ts"
import type { EndedSession, NewSession, SessionFilter, SessionPage } from "./session-rows.ts"
import { type SessionPatch, type SessionRow, sessionTable } from "../../schema/session-table.ts"

/** Returns whose sub-agents a session is counted among; undefined if it is nobody's. */
const numberOwner = ({ parentId, caller }: NewSession): string | undefined => {
  if (parentId !== null) return `parent ${parentId}`
  return caller == null ? undefined : `caller ${caller}`
}

/** Gives a new session the next number of its parent or caller. The counter is a row of its own, so that the number of a removed session is not given again. */
const numberSession = async (db: Writer, session: NewSession): Promise<void> => {
  const owner = numberOwner(session)
  if (owner === undefined) return
  const { last } = await db
    .insertInto("session_numbers")
    .values({ owner, last: 1 })
    .onConflict((conflict) =>
      conflict.column("owner").doUpdateSet((eb) => ({ last: eb("session_numbers.last", "+", 1) })),
    )
    .returning("last")
    .executeTakeFirstOrThrow()
  await db.updateTable("sessions").set({ ordinal: last }).where("id", "=", session.id).execute()
}

const newRow = ({ place, ...session }: NewSession, at: number): Insertable<DatabaseSchema["sessions"]> => ({
  ...sessionTable.created({ ...session, internal: session.internal ?? {}, caller: session.caller ?? null }),
  status: "pending",
  machine: place?.machine ?? null,
  directory: place?.directory ?? null,
  created_at: at,
  updated_at: at,
})

const insertSession = async (db: Writer, session: NewSession, at: number): Promise<boolean> => {
  const result = await db
    .insertInto("sessions")
    .values(newRow(session, at))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .executeTakeFirst()
  const isNew = (result.numInsertedOrUpdatedRows ?? 0n) > 0n
  if (isNew) await numberSession(db, session)
  return isNew
}

const one = (row: Promise<Selectable<DatabaseSchema["sessions"]> | undefined>): Promise<SessionRow | undefined> =>
  oneRow(row, sessionTable.toRow)

const lockedSession = async (db: Writer, id: string): Promise<SessionRow | undefined> => {
  const session = db.selectFrom("sessions").selectAll().where("id", "=", id).where("deleted_at", "is", null)
  return await one(session.forNoKeyUpdate().executeTakeFirst())
}

const mostLabelled = 100

/** The user of this machine is the caller of what the command line, the library and the token of the data directory start. */
const isOfLocalUser = sql<boolean>`(caller is null or caller = ${httpCallerId(builtInCallers.local)} or caller like 'cli:%')`

const listLabelled = async (db: Reader, label: string, caller: string | null): Promise<readonly SessionRow[]> => {
  const rows = await db
    .selectFrom("sessions")
    .selectAll()
    .where("label", "=", label)
    .where("parent_id", "is", null)
    .where("deleted_at", "is", null)
    .where(caller === null ? isOfLocalUser : sql<boolean>`caller = ${caller}`)
    .orderBy(sql`case when status in ('pending', 'running', 'paused') then 0 else 1 end`)
    .orderBy("num", "desc")
    .limit(mostLabelled)
    .execute()
  return rows.map(sessionTable.toRow)
}

const findByKey = async (db: Reader, key: string, caller?: string): Promise<SessionRow | undefined> => {
  const every = db.selectFrom("sessions").selectAll()
  const all = caller === undefined ? every : every.where(isOfCaller(caller))
  return await one(
    all
      .where("session_key", "=", key)
      .where("deleted_at", "is", null)
      .orderBy("num", "desc")
      .limit(1)
      .executeTakeFirst(),
  )
}

const listOpenSessions = async (db: Reader, page?: SessionPage): Promise<readonly SessionRow[]> => {
  const open = db
    .selectFrom("sessions")
    .selectAll()
    .where(sql<boolean>`status in ('pending', 'running', 'paused')`)
    .where("deleted_at", "is", null)
  if (page === undefined) return (await open.orderBy("num").execute()).map(sessionTable.toRow)
  const kin = page.childrenOnly === true ? open.where("parent_id", "is not", null) : open
  return (await kin.where(isInPage(page)).orderBy("sessions.id").limit(page.limit).execute()).map(sessionTable.toRow)
}

const updateSession = async (db: Writer, id: string, values: Updateable<DatabaseSchema["sessions"]>): Promise<void> => {
  await db.updateTable("sessions").set(values).where("id", "=", id).where("deleted_at", "is", null).execute()
}

/** Creates access to the sessions. `changed` is called with the id of each session whose events are erased. */
export const createSessions = (database: Database, changed: (sessionId: string) => void) => ({
  /** Creates a session; returns false, without writing, if the id is taken. */
  create: (session: NewSession) => database.write((db) => insertSession(db, session, database.now())),

  get: (id: string) =>
    database.read((db) => one(db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst())),

  /** Returns a session that no other transaction changes until this one ends; undefined if it is deleted. */
  locked: (id: string) => database.write((db) => lockedSession(db, id)),

  /** Finds a session by its key; with a caller, only in the trees that it started. */
  byKey: (key: string, caller?: string) => database.read((db) => findByKey(db, key, caller)),

  /** Returns the sessions without a parent that a caller started under a label: open ones first, newest first. Null: the user of this machine. */
  labelled: (label: string, caller: string | null) => database.read((db) => listLabelled(db, label, caller)),

  patch: (id: string, patch: SessionPatch) =>
    database.write((db) => updateSession(db, id, { ...sessionTable.changedBy(patch), updated_at: database.now() })),

  /** Returns a page of sessions, newest first; `cursor` is opaque. */
  list: (filter: SessionFilter) => database.read((db) => listSessions(db, filter)),

  /** Counts the sessions that match a filter by status. */
  count: (filter: Omit<SessionFilter, "status" | "limit" | "cursor">) =>
    database.read((db) => countSessions(db, filter)),

  /** Returns the rows that are not final, the oldest first; a page of them in the order of their ids. */
  listOpen: (page?: SessionPage) => database.read((db) => listOpenSessions(db, page)),

  archive: (id: string, at: string | null) =>
    database.write((db) => updateSession(db, id, { archived_at: fromIsoOrNull(at), updated_at: database.now() })),

  /** Returns the sessions that are neither archived nor deleted and whose latest run has ended; a page of them in the order of their ids. */
  listEnded: (page?: SessionPage) => database.read((db) => listEnded(db, page)),

  /** Archives a session; returns false, without writing, if another run has begun since. */
  archiveEnded: (session: Pick<EndedSession, "id" | "runId">) =>
    database.write((db) => archiveEnded(db, session, database.now())),

  /** Returns deleted sessions that still have texts, for the reconciler. */
  listUnerased: () => database.read(listUnerased),

  /** Marks a session as deleted; later writes to it are ignored. */
  markDeleted: (id: string) =>
    database.write((db) => {
      const at = database.now()
      return updateSession(db, id, { deleted_at: at, updated_at: at })
    }),

  /** Erases, of one or several sessions, messages, events, inbox, claims, pauses and todos. Their rows (without texts) and the audit log remain. */
  erase: async (...ids: readonly string[]) => {
    if (ids.length > 0) await eraseSessions(database, ids)
    for (const id of ids) changed(id)
  },

  /** Returns trees that ended before a time, the oldest first, behind the number of a root. */
  listExpired: (expiry: Expiry, page: { readonly after: number; readonly limit: number }) =>
    database.read((db) => listExpired(db, expiry, page)),

  /** Marks those of the trees that are still expired as deleted. Returns the ids of all their sessions. */
  expire: (roots: readonly string[], expiry: Expiry) =>
    database.write((db) => expireTrees(db, roots, { expiry, at: database.now() })),

  /** Erases the events of sessions that ended before a time, of some at once. Returns how many sessions that were. */
  eraseEvents: async (beforeMs: number, limit: number) => {
    const ids = await database.write((db) => eraseOldEvents(db, beforeMs, limit))
    for (const id of ids) changed(id)
    return ids.length
  },

  /** Removes a session that never started (no workflow), with all its data. */
  remove: async (id: string) => {
    await database.write((db) => db.deleteFrom("sessions").where("id", "=", id).execute())
    changed(id)
  },
})
