import type { Database } from "../database.ts"

const key = "public-address"

/** Where the HTTP server that listened last is reached, without a slash at the end; undefined before the first. */
export interface PublicAddress {
  read(): Promise<string | undefined>
  write(url: string): Promise<void>
}

/** Kept beside the store's id: processes that make links know the server that answers them. */
export const createPublicAddress = (database: Database): PublicAddress => ({
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
