import type { Database } from "../database.ts"
import type { Store } from "../store.ts"

const key = "public-address"

/** Kept beside the store's id: processes that make links know the server that answers them. */
export const createPublicAddress = (database: Database): Store["publicAddress"] => ({
  read: async () => {
    const row = await database.read((db) =>
      db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst(),
    )
    return row?.value
  },
  write: (url) =>
    database.write(async (db) => {
      await db
        .insertInto("meta")
        .values({ key, value: url })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: url }))
        .execute()
    }, "crash"),
})
