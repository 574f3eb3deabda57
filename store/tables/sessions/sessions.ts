import { sql } from "kysely"
import type { Database } from "../../database.ts"
import { archiveEnded, listEnded, listUnerased } from "./ended-sessions.ts"
import { eraseSession } from "./erase-session.ts"
import { fromIsoOrNull } from "../../columns/iso-time.ts"
import { listSessions } from "./list-sessions.ts"
import { fromNewSession, fromSessionPatch, toSessionRow } from "./session-row.ts"
import type { SessionRow, Sessions } from "./session-rows.ts"

/** `changed` is told which sessions lost their events. */
export const createSessions = (database: Database, changed: (sessionId: string) => void): Sessions => ({
  create: async (session) => {
    const result = await database.write((db) =>
      db
        .insertInto("sessions")
        .values(fromNewSession(session, database.now()))
        .onConflict((conflict) => conflict.column("id").doNothing())
        .executeTakeFirst(),
    )
    return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
  },

  get: (id) =>
    database.read((db) => one(db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst())),

  find: (target) =>
    database.read(async (db) => {
      const all = db.selectFrom("sessions").selectAll()
      const newest = all.where("deleted_at", "is", null).orderBy("num", "desc").limit(1)
      return (
        (await one(all.where("id", "=", target).executeTakeFirst())) ??
        (await one(newest.where("label", "=", target).executeTakeFirst())) ??
        (await one(newest.where("session_key", "=", target).executeTakeFirst()))
      )
    }),

  patch: (id, patch) =>
    database.write(async (db) => {
      await db
        .updateTable("sessions")
        .set(fromSessionPatch(patch, database.now()))
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .execute()
    }),

  list: (filter) => database.read((db) => listSessions(db, filter)),

  listOpen: () =>
    database.read(async (db) => {
      const rows = await db
        .selectFrom("sessions")
        .selectAll()
        .where(sql<boolean>`status in ('pending', 'running', 'paused')`)
        .where("deleted_at", "is", null)
        .orderBy("num")
        .execute()
      return rows.map(toSessionRow)
    }),

  archive: (id, at) =>
    database.write(async (db) => {
      await db
        .updateTable("sessions")
        .set({ archived_at: fromIsoOrNull(at), updated_at: database.now() })
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .execute()
    }),

  listEnded: () => database.read(listEnded),

  archiveEnded: (session) => database.write((db) => archiveEnded(db, session, database.now())),

  listUnerased: () => database.read(listUnerased),

  markDeleted: (id) =>
    database.write(async (db) => {
      const at = database.now()
      await db
        .updateTable("sessions")
        .set({ deleted_at: at, updated_at: at })
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .execute()
    }),

  erase: async (id) => {
    await eraseSession(database, id)
    changed(id)
  },

  remove: async (id) => {
    await database.write((db) => db.deleteFrom("sessions").where("id", "=", id).execute())
    changed(id)
  },
})

const one = async (row: Promise<Parameters<typeof toSessionRow>[0] | undefined>): Promise<SessionRow | undefined> => {
  const found = await row
  return found === undefined ? undefined : toSessionRow(found)
}
