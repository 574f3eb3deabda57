import { randomBytes } from "node:crypto"
import type { Database } from "../database/database.ts"

/** Returns 32 random bytes in hex, created once per store and name, the same for every process. They are never sent anywhere. */
export type ReadSecret = (name: string) => Promise<string>

/** Creates access to the secrets, which are stored in `meta`. Processes that create the same secret at the same time all get the same value. */
export const createSecrets = (database: Database): ReadSecret => {
  const known = new Map<string, Promise<string>>()
  const load = (name: string): Promise<string> =>
    database.write(async (db) => {
      const key = `secret:${name}`
      await db
        .insertInto("meta")
        .values({ key, value: randomBytes(32).toString("hex") })
        .onConflict((conflict) => conflict.column("key").doNothing())
        .execute()
      const { value } = await db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirstOrThrow()
      return value
    })
  return (name) => {
    const loading = known.get(name) ?? load(name)
    known.set(name, loading)
    loading.catch(() => known.delete(name))
    return loading
  }
}
