import type { DatabaseSync } from "node:sqlite"
import { CompiledQuery, SqliteAdapter, SqliteDriver, SqliteIntrospector, SqliteQueryCompiler } from "kysely"
import type { DatabaseConnection, Dialect } from "kysely"
import { requireTime, timeLeftMs } from "../database/time-limit.ts"
import { retryWhileBusy } from "./retry-while-busy.ts"
import { withStatementCache } from "./statement-cache.ts"

export interface LockWait {
  /** How long a transaction waits for another process's transaction. */
  readonly timeoutMs: number
  /** How errors refer to the store. */
  readonly place: string
  /** Called with the time that each transaction waited, whether or not it got the lock. */
  readonly onWaited: (ms: number) => void
}

/** Starts transactions with `begin immediate`: one that reads first could not write after another process's commit. */
class ImmediateDriver extends SqliteDriver {
  readonly #database: DatabaseSync
  readonly #lock: LockWait

  constructor(database: DatabaseSync, lock: LockWait) {
    super({ database: withStatementCache(database) })
    this.#database = database
    this.#lock = lock
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const startedAt = performance.now()
    requireTime(0, this.#lock.place)
    const timeoutMs = Math.min(this.#lock.timeoutMs, timeLeftMs() ?? Infinity)
    try {
      await retryWhileBusy(() => connection.executeQuery(CompiledQuery.raw("begin immediate")), timeoutMs)
    } finally {
      this.#lock.onWaited(Math.round(performance.now() - startedAt))
    }
  }

  /** On a full disk SQLite rolls back by itself; a second rollback would hide the cause. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** Omits row locks, since transactions exclude each other. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(): void {}
}

/** Returns a kysely dialect for Node's own SQLite. */
export const nodeSqliteDialect = (database: DatabaseSync, lock: LockWait): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new ImmediateDriver(database, lock),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new LocklessCompiler(),
})
