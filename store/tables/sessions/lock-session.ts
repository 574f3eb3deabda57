import { type Database, isPostgres, type Reader, type Writer } from "../../database/database.ts"
import { keepRunNumber, runNumberOf } from "./run-number.ts"

/** The numbers of the sessions that a transaction has locked. */
const lockedNumbers = new WeakMap<Writer, Map<string, number>>()

/** Remembers that a statement has locked a session that has no tombstone, and its number. */
export const keepLocked = (db: Writer, sessionId: string, num: number): void => {
  const numbers = lockedNumbers.get(db) ?? new Map<string, number>()
  lockedNumbers.set(db, numbers.set(sessionId, num))
}

/**
 * Locks a session and returns its number; undefined if it does not exist or has a tombstone. Every write to a session locks it first, in its own
 * transaction, which excludes the session's other writers until the transaction ends. With a run, the same statement looks up its number, too.
 */
export const lockSession = async (db: Writer, sessionId: string, runId?: string): Promise<number | undefined> => {
  const known = lockedNumbers.get(db)?.get(sessionId)
  if (known !== undefined) return known
  const session = db
    .selectFrom("sessions")
    .select("num")
    .where("id", "=", sessionId)
    .where("deleted_at", "is", null)
    .forNoKeyUpdate()
  const row = await (runId === undefined ? session : session.select(runNumberOf(runId).as("run"))).executeTakeFirst()
  if (row === undefined) return undefined
  keepLocked(db, sessionId, row.num)
  if (runId !== undefined && "run" in row && typeof row.run === "number")
    keepRunNumber(db, runId, { session: row.num, run: row.run })
  return row.num
}

/** Which sessions a transaction could lock at once. Nothing can be written to those that do not exist, in whichever list they are. */
export interface LockedSessions {
  readonly locked: readonly string[]
  /** Another transaction holds their locks. */
  readonly held: readonly string[]
}

/** Locks the sessions that no other transaction has locked, and waits for none of the others. */
export const lockFreeSessions = async (db: Writer, ids: readonly string[]): Promise<LockedSessions> => {
  // In SQLite, there is no other transaction that writes.
  if (!isPostgres(db)) return { locked: ids, held: [] }
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
): Promise<T | undefined> => writeToRun(database, { sessionId }, write)

/** Writes rows that also name a run, in the same way. */
export const writeToRun = <T>(
  database: Pick<Database, "write">,
  { sessionId, runId }: { readonly sessionId: string; readonly runId?: string | undefined },
  write: (db: Writer, session: number) => Promise<T>,
): Promise<T | undefined> =>
  database.write(async (db) => {
    const session = await lockSession(db, sessionId, runId)
    return session === undefined ? undefined : write(db, session)
  })

/** Returns a subquery for a session's number, for reads. It also finds a deleted session, whose rows remain until they are erased. */
export const sessionNum = (db: Reader, sessionId: string) =>
  db.selectFrom("sessions").select("num").where("id", "=", sessionId)
