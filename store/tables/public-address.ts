import type { Database } from "../database/database.ts"
import { withinTime } from "../database/time-limit.ts"

const key = "public-address"

/** Creates access to the public address, which is stored in `meta`, so that processes that create links know the server. */
export const createPublicAddress = (database: Database) => ({
  read: async () => {
    const row = await database.read((db) =>
      db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst(),
    )
    return row?.value
  },
  write: (url: string) =>
    database.write(async (db) => {
      await db
        .insertInto("meta")
        .values({ key, value: url })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: url }))
        .execute()
    }, "crash"),
})

const probeKey = "written-at"
/** A write in PostgreSQL begins only if its caller has more time than it may wait for a lock. */
const probeLimitMs = 10_000

/** Creates what writes to the store without a reason of its own: a server that only reads would answer every question. */
export const createProbe = (database: Database) => (): Promise<void> =>
  withinTime(probeLimitMs, () =>
    database.write(async (db) => {
      const value = String(database.now())
      await db
        .insertInto("meta")
        .values({ key: probeKey, value })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
        .execute()
    }, "crash"),
  )
