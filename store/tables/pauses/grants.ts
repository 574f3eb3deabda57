import type { Database } from "../../database.ts"
import { fromIso, toIso, toIsoOrNull } from "../../columns/iso-time.ts"
import { fromJson, toJson } from "../../columns/json-column.ts"
import { sessionNum, writeToSession } from "../sessions/lock-session.ts"

/** A standing decision: calls of the tool whose arguments match the patterns run without another decision, until it expires or is revoked. */
export interface GrantRow {
  readonly id: string
  readonly sessionId: string
  readonly tool: string
  /** Patterns by argument. */
  readonly arguments: Readonly<Record<string, string>>
  readonly createdBy: string
  readonly createdVia: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly revokedAt: string | null
  readonly revokedBy: string | null
}

export type NewGrant = Omit<GrantRow, "createdAt" | "revokedAt" | "revokedBy">

const selectGrants = async (database: Database, sessionId: string, activeAt?: number): Promise<readonly GrantRow[]> => {
  const rows = await database.read((db) => {
    const all = db.selectFrom("grants").selectAll().where("session_num", "=", sessionNum(db, sessionId))
    const selected =
      activeAt === undefined ? all : all.where("revoked_at", "is", null).where("expires_at", ">", activeAt)
    return selected.orderBy("created_at").orderBy("id").execute()
  })
  return rows.map((row) => ({
    id: row.id,
    sessionId,
    tool: row.tool,
    arguments: fromJson<Record<string, string>>(row.arguments),
    createdBy: row.created_by,
    createdVia: row.created_via,
    createdAt: toIso(row.created_at),
    expiresAt: toIso(row.expires_at),
    revokedAt: toIsoOrNull(row.revoked_at),
    revokedBy: row.revoked_by,
  }))
}

const createGrant = (database: Database, grant: NewGrant, most: number): Promise<boolean | undefined> =>
  writeToSession(database, grant.sessionId, async (db, session) => {
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
        id: grant.id,
        session_num: session,
        tool: grant.tool,
        arguments: toJson(grant.arguments),
        created_by: grant.createdBy,
        created_via: grant.createdVia,
        created_at: now,
        expires_at: fromIso(grant.expiresAt),
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
