import type { DatabaseSync } from "node:sqlite"
import { CompiledQuery, SqliteAdapter, SqliteDriver, SqliteIntrospector, SqliteQueryCompiler } from "kysely"
import type { DatabaseConnection, Dialect } from "kysely"
import { retryWhileBusy } from "./retry-while-busy.ts"
import { withStatementCache } from "./statement-cache.ts"

export interface LockWait {
  /** How long a transaction waits for another process's. */
  readonly timeoutMs: number
  /** Called with the time that each transaction waited, whether it got the lock or not. */
  readonly onWaited: (ms: number) => void
}

/** Transactions are `begin immediate`: one that read first could not become a writer after another process's commit. */
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
    try {
      await retryWhileBusy(() => connection.executeQuery(CompiledQuery.raw("begin immediate")), this.#lock.timeoutMs)
    } finally {
      this.#lock.onWaited(Math.round(performance.now() - startedAt))
    }
  }

  /** A full disk rolls back by itself; a second rollback would hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** Transactions exclude each other, so there are no row locks to ask for. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(): void {}
}

/** kysely on Node's own SQLite. */
export const nodeSqliteDialect = (database: DatabaseSync, lock: LockWait): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new ImmediateDriver(database, lock),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new LocklessCompiler(),
})
