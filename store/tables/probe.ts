import type { Database } from "../database.ts"

const key = "written-at"

/** Creates what writes to the store without a reason of its own: a server that only reads would answer every question. */
export const createProbe = (database: Database) => (): Promise<void> =>
  database.write(async (db) => {
    const value = String(database.now())
    await db
      .insertInto("meta")
      .values({ key, value })
      .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
      .execute()
  }, "crash")
