import type { Database, Reader, Writer } from "../../database.ts"

/**
 * Locks a session and returns its number; undefined if it does not exist or has a tombstone. Every write to a session locks it first, in its own
 * transaction, which excludes the session's other writers until the transaction ends.
 */
export const lockSession = async (db: Writer, sessionId: string): Promise<number | undefined> => {
  const row = await db
    .selectFrom("sessions")
    .select("num")
    .where("id", "=", sessionId)
    .where("deleted_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row?.num
}

/** Which sessions a transaction could lock at once. Those that do not exist are in neither list. */
export interface LockedSessions {
  readonly locked: readonly string[]
  /** Another transaction holds their locks. */
  readonly held: readonly string[]
}

/** Locks the sessions that no other transaction has locked, and waits for none of the others. */
export const lockFreeSessions = async (db: Writer, ids: readonly string[]): Promise<LockedSessions> => {
  const existing = db.selectFrom("sessions").select("id").where("deleted_at", "is", null)
  const rows = await existing.where("id", "in", ids).orderBy("id").forNoKeyUpdate().skipLocked().execute()
  const locked = rows.map(({ id }) => id)
  const rest = ids.filter((id) => !locked.includes(id))
  const held = rest.length === 0 ? [] : await existing.where("id", "in", rest).execute()
  return { locked, held: held.map(({ id }) => id) }
}

/** Writes under the session's lock. Returns undefined, without writing, if the session does not exist or has a tombstone. */
export const writeToSession = <T>(
  database: Pick<Database, "write">,
  sessionId: string,
  write: (db: Writer, session: number) => Promise<T>,
): Promise<T | undefined> =>
  database.write(async (db) => {
    const session = await lockSession(db, sessionId)
    return session === undefined ? undefined : write(db, session)
  })

/** Returns a subquery for a session's number, for reads. It also finds a deleted session, whose rows remain until they are erased. */
export const sessionNum = (db: Reader, sessionId: string) =>
  db.selectFrom("sessions").select("num").where("id", "=", sessionId)
