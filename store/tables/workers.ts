import type { Database } from "../database/database.ts"

/** A worker of this store. `start` distinguishes its process from a later one with the same id. */
export interface WorkerRow {
  /** The name that the engine knows it by. */
  readonly identity: string
  /** Only processes of the same machine can check whether it is running. */
  readonly machine: string
  readonly pid: number
  readonly start: string
}

/** The row of a machine that slept for longer is written again when it wakes up. */
const keepMs = 7 * 86_400_000

export const createWorkers = (database: Database) => ({
  /** Adds a worker, or notes that it is still running. Removes those, of all machines, that have not been noted for a week. */
  note: ({ identity, machine, pid, start }: WorkerRow) =>
    database.write(async (db) => {
      const now = database.now()
      await db
        .deleteFrom("workers")
        .where("seen_at", "<", now - keepMs)
        .execute()
      await db
        .insertInto("workers")
        .values({ identity, machine, pid, process_start: start, seen_at: now })
        .onConflict((conflict) => conflict.column("identity").doUpdateSet({ seen_at: now }))
        .execute()
    }, "crash"),

  /** Returns false if it was removed before: of several processes, one removes it. */
  remove: (identity: string) =>
    database.write(async (db) => {
      const { numDeletedRows } = await db.deleteFrom("workers").where("identity", "=", identity).executeTakeFirst()
      return numDeletedRows > 0n
    }, "crash"),

  onMachine: (machine: string) =>
    database.read(async (db) => {
      const rows = await db.selectFrom("workers").selectAll().where("machine", "=", machine).execute()
      return rows.map(({ identity, pid, process_start: start }) => ({ identity, machine, pid, start }))
    }),
})
