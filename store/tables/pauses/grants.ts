import type { Database } from "../../database/database.ts"
import { sessionNum, writeToSession } from "../sessions/lock-session.ts"
import { type GrantRow, grantTable, type NewGrant } from "../../schema/grant-table.ts"

const selectGrants = async (database: Database, sessionId: string, activeAt?: number): Promise<readonly GrantRow[]> => {
  const rows = await database.read((db) => {
    const all = db.selectFrom("grants").selectAll().where("session_num", "=", sessionNum(db, sessionId))
    const selected =
      activeAt === undefined ? all : all.where("revoked_at", "is", null).where("expires_at", ">", activeAt)
    return selected.orderBy("created_at").orderBy("id").execute()
  })
  return rows.map((row) => grantTable.toRow({ ...row, session_id: sessionId }))
}

const createGrant = (database: Database, grant: NewGrant, most: number): Promise<boolean | undefined> =>
  writeToSession(database, grant.sessionId, async (db, session) => {
    // A write whose answer was lost is repeated.
    const known = await db.selectFrom("grants").select("id").where("id", "=", grant.id).executeTakeFirst()
    if (known !== undefined) return true
    const now = database.now()
    const { active } = await db
      .selectFrom("grants")
      .select(({ fn }) => fn.countAll<number>().as("active"))
      .where("session_num", "=", session)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now)
      .executeTakeFirstOrThrow()
    if (Number(active) >= most) return false
    await db
      .insertInto("grants")
      .values({
        ...grantTable.created(grant),
        session_num: session,
        created_at: now,
      })
      .execute()
    return true
  })

export const createGrants = (database: Database) => ({
  /** Stores a grant. Returns false, without writing, if the session does not exist or has `most` grants that are active. */
  create: async (grant: NewGrant, most: number) => (await createGrant(database, grant, most)) ?? false,

  /** Returns the grants of a session, oldest first. */
  list: (sessionId: string) => selectGrants(database, sessionId),

  /** Returns those that are neither revoked nor expired, oldest first. */
  listActive: (sessionId: string) => selectGrants(database, sessionId, database.now()),

  /** Revokes a grant of the session; one that is revoked stays as it is. Returns it; undefined if there is none. */
  revoke: async (sessionId: string, id: string, by: string) => {
    await writeToSession(database, sessionId, (db, session) =>
      db
        .updateTable("grants")
        .set({ revoked_at: database.now(), revoked_by: by })
        .where("id", "=", id)
        .where("session_num", "=", session)
        .where("revoked_at", "is", null)
        .execute(),
    )
    return (await selectGrants(database, sessionId)).find((grant) => grant.id === id)
  },
})
