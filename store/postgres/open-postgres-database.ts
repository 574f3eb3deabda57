import { setTimeout as sleep } from "node:timers/promises"
import { Kysely, PostgresDialect, sql } from "kysely"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Database, StoreLogger } from "../database/database.ts"
import type { DatabaseSchema } from "../schema/schema.ts"
import type { PostgresAddress } from "./postgres-address.ts"
import { isLong, longStatementMs, requireTime, timeLeftMs } from "../database/time-limit.ts"
import { isConflict, isLockTimeout, isPassing, isReadOnly, translatePostgresError } from "./postgres-error.ts"
import { clientConfig, openPool } from "./postgres-pool.ts"
import { createCommitSignal } from "./postgres-signal.ts"
import { createOutageNote } from "../database/write-outage.ts"

export interface PostgresOptions {
  readonly address: PostgresAddress
  /** How long a write waits for another process's write. */
  readonly lockTimeoutMs: number
  /** How long the server may be unavailable, as during a restart, before pending work fails. */
  readonly patienceMs: number
  /** How long a statement waits for the server's answer, which a host that vanished never sends. */
  readonly answerLimitMs: number
  readonly now: () => number
  readonly logger?: StoreLogger
}

const longestPauseMs = 500
/** After so long a wait for a lock, a statement is rolled back and its transaction begins again. A transaction that has less time left does not begin. */
const longestLockStepMs = 4_000

/** Returns a function that repeats an attempt after passing errors, for as long as the options and the caller's time allow. */
const createRepeat =
  ({ address, lockTimeoutMs, patienceMs, logger }: PostgresOptions, isClosed: () => boolean) =>
  async <T>(attempt: () => Promise<T>, mayRepeat: (error: unknown) => boolean): Promise<T> => {
    const startedAt = performance.now()
    let failedAt: number | undefined
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt()
      } catch (error) {
        failedAt ??= performance.now()
        const isOver = isLockTimeout(error)
          ? performance.now() - startedAt >= lockTimeoutMs
          : performance.now() - failedAt >= patienceMs
        if (isClosed() || isOver || (timeLeftMs() ?? Infinity) <= 0 || !mayRepeat(error))
          throw translatePostgresError(error, address.place)
        if (tries === 1) logger?.warn({ store: address.place }, "the session store cannot be reached; trying again")
      }
      await sleep(Math.random() * Math.min(longestPauseMs, 25 * 2 ** tries))
    }
  }

/** Opens a database that exists on a server. Rejects with `invalid_config` or `storage_failed`. */
export const openPostgresDatabase = async (options: PostgresOptions): Promise<Database> => {
  const { address, lockTimeoutMs, answerLimitMs, now } = options
  const lockStepMs = Math.min(lockTimeoutMs, longestLockStepMs)
  const pool = openPool(address, { lockTimeoutMs: lockStepMs, answerLimitMs })
  const db = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool }) })
  let closed = false

  const note = createOutageNote(now)
  const repeat = createRepeat(options, () => closed)

  const schema = await inspectFirst(db, address.place)
  const signal = createCommitSignal({ config: clientConfig(address, answerLimitMs), schema })

  const write: Database["write"] = (body, outlasts = "power-cut") => {
    let mayBeCommitted = false
    const attempt = () => {
      requireTime(lockStepMs, address.place)
      const transaction = db.transaction().setIsolationLevel("read committed")
      return transaction.execute(async (trx) => {
        if (isLong()) await sql.raw(`set local statement_timeout = ${longStatementMs}`).execute(trx)
        if (outlasts === "crash") await sql`set local synchronous_commit = off`.execute(trx)
        const result = await body(trx)
        mayBeCommitted = true
        return result
      })
    }
    const noted = () => note.noted(attempt, (error) => translatePostgresError(error, address.place))
    return repeat(noted, (error) => {
      if (isReadOnly(error)) signal.renew()
      const repeatable = isConflict(error) || isLockTimeout(error) || (!mayBeCommitted && isPassing(error))
      mayBeCommitted = false
      return repeatable
    })
  }

  return {
    read: (query) => repeat(() => query(db), isPassing),
    write,
    outage: note.current,
    // The commit of a transaction with a number waits until the log up to it is on disk.
    synced: () => write(async (trx) => void (await sql`select pg_current_xact_id()`.execute(trx))),
    now,
    // The clocks of the workers' machines can differ.
    sharedNow: async (reader) => (now === Date.now ? await serverTime(reader) : now()),
    changeCounter: () => signal.changeCounter(),
    notifyReaders: () => signal.notifyReaders(),
    close: async () => {
      if (closed) return
      closed = true
      await signal.close()
      await db.destroy()
    },
  }
}

const serverTime = async (db: Kysely<DatabaseSchema>): Promise<number> => {
  const { rows } = await sql<{
    ms: number
  }>`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error("the server did not say what time it is")
  return row.ms
}

/** Returns the schema that the store uses, or closes the connections if it cannot be used. */
const inspectFirst = async (db: Kysely<DatabaseSchema>, place: string): Promise<string> => {
  try {
    return await inspect(db, place)
  } catch (error) {
    await db.destroy()
    throw translatePostgresError(error, place, "invalid_config")
  }
}

/** Returns the schema that the store uses. */
const inspect = async (db: Kysely<DatabaseSchema>, place: string): Promise<string> => {
  const { rows } = await sql<{
    schema: string | null
    encoding: string
  }>`select current_schema() as schema, current_setting('server_encoding') as encoding`.execute(db)
  const [found] = rows
  if (found === undefined || found.schema === null)
    throw new AdjutantError(
      "invalid_config",
      `the session store ${place} has no schema to use: create the one that search_path names`,
    )
  if (found.encoding !== "UTF8")
    throw new AdjutantError(
      "invalid_config",
      `the session store ${place} has the encoding ${found.encoding}: create the database with encoding 'UTF8'`,
    )
  return found.schema
}
