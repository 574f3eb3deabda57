import type { Database, Reader, Writer } from "../../database.ts"

/**
 * The session's number where it exists and carries no tombstone. Every write to a session asks this first, in its own transaction, and
 * keeps the session's other writers away until that ends.
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

/** Writes under the session's lock. Undefined, and nothing written, where it does not exist or carries a tombstone. */
export const writeToSession = <T>(
  database: Pick<Database, "write">,
  sessionId: string,
  write: (db: Writer, session: number) => Promise<T>,
): Promise<T | undefined> =>
  database.write(async (db) => {
    const session = await lockSession(db, sessionId)
    return session === undefined ? undefined : write(db, session)
  })

/** As a subquery, for reads: those of a deleted session's rows too, until they are erased. */
export const sessionNum = (db: Reader, sessionId: string) =>
  db.selectFrom("sessions").select("num").where("id", "=", sessionId)
