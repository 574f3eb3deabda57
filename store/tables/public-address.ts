import type { Database } from "../database.ts"

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
