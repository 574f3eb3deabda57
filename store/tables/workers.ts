import type { Database } from "../database.ts"

/** A worker of this store. `start` distinguishes its process from a later one with the same id. */
export interface WorkerRow {
  /** The name that the engine knows it by. */
  readonly identity: string
  /** Only processes of the same machine can check whether it is running. */
  readonly machine: string
  readonly pid: number
  readonly start: string
}

export interface Workers {
  add(worker: WorkerRow): Promise<void>
  /** Returns false if it was removed before: of several processes, one removes it. */
  remove(identity: string): Promise<boolean>
  onMachine(machine: string): Promise<readonly WorkerRow[]>
}

export const createWorkers = (database: Database): Workers => ({
  add: ({ identity, machine, pid, start }) =>
    database.write(async (db) => {
      await db.insertInto("workers").values({ identity, machine, pid, process_start: start }).execute()
    }, "crash"),

  remove: (identity) =>
    database.write(async (db) => {
      const { numDeletedRows } = await db.deleteFrom("workers").where("identity", "=", identity).executeTakeFirst()
      return numDeletedRows > 0n
    }, "crash"),

  onMachine: (machine) =>
    database.read(async (db) => {
      const rows = await db.selectFrom("workers").selectAll().where("machine", "=", machine).execute()
      return rows.map(({ identity, pid, process_start: start }) => ({ identity, machine, pid, start }))
    }),
})
