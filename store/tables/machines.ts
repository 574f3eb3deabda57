import type { Database } from "../database/database.ts"

/** Where a session's working directory is. */
export interface SessionPlace {
  readonly machine: string
  /** What distinguishes the directory from those of other machines; null where the file system does not tell. */
  readonly directory: string | null
}

const recentMachineMs = 7 * 86_400_000

export const createMachines = (database: Database) => ({
  /** Notes that a machine has a worker. It is remembered for good: its sessions wait for its next worker. */
  note: (name: string) =>
    database.write(async (db) => {
      const now = database.now()
      await db
        .insertInto("machines")
        .values({ name, seen_at: now })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ seen_at: now }))
        .execute()
    }, "crash"),

  /** Returns the machines that have, or had, a worker; `isRecent`: one was noted within a week. */
  list: () =>
    database.read(async (db) => {
      const rows = await db.selectFrom("machines").selectAll().orderBy("name").execute()
      const since = database.now() - recentMachineMs
      return rows.map(({ name, seen_at: seenAt }) => ({ name, isRecent: seenAt >= since }))
    }),

  /** Returns the place of a session; `machine` is null where it is not known. */
  placeOf: (sessionId: string) =>
    database.read((db) =>
      db.selectFrom("sessions").select(["cwd", "machine", "directory"]).where("id", "=", sessionId).executeTakeFirst(),
    ),

  /** Gives a session to a machine; returns false if it is no longer on the machine that `from` names. */
  move: (sessionId: string, from: string | null, to: SessionPlace) =>
    database.write(async (db) => {
      const session = db.updateTable("sessions").set(to).where("id", "=", sessionId)
      const unmoved = from === null ? session.where("machine", "is", null) : session.where("machine", "=", from)
      const { numUpdatedRows } = await unmoved.executeTakeFirst()
      return numUpdatedRows > 0n
    }),

  /** Notes that background processes of a session may still run on a machine that could not be reached. */
  noteLeft: (machine: string, sessionId: string) =>
    database.write(async (db) => {
      const row = { machine, session_id: sessionId, at: database.now() }
      await db
        .insertInto("left_processes")
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }),

  /** Returns the sessions whose background processes may still run on a machine. */
  leftOn: (machine: string) =>
    database.read(async (db) => {
      const rows = await db.selectFrom("left_processes").select("session_id").where("machine", "=", machine).execute()
      return rows.map(({ session_id: sessionId }) => sessionId)
    }),

  removeLeft: (machine: string, sessionId: string) =>
    database.write(async (db) => {
      await db.deleteFrom("left_processes").where("machine", "=", machine).where("session_id", "=", sessionId).execute()
    }, "crash"),
})
