import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
} from "kysely"
import { requireTime, timeLeftMs } from "../database/time-limit.ts"
import { retryWhileBusy } from "./retry-while-busy.ts"

const cachedStatements = 256

/** Adapts `DatabaseSync` to the database of kysely's SQLite driver, and caches the most recently used prepared statements. */
const withStatementCache = (database: DatabaseSync): SqliteDatabase => {
  const statements = new Map<string, SqliteStatement>()
  return {
    close: () => {
      statements.clear()
      if (database.isOpen) database.close()
    },
    prepare: (sql) => {
      const statement = statements.get(sql) ?? adapt(database.prepare(sql))
      statements.delete(sql)
      statements.set(sql, statement)
      const oldest = statements.keys().next()
      if (statements.size > cachedStatements && !oldest.done) statements.delete(oldest.value)
      return statement
    },
  }
}

const adapt = (statement: StatementSync): SqliteStatement => ({
  reader: statement.columns().length > 0,
  all: (parameters) => statement.all(...bindable(parameters)),
  run: (parameters) => statement.run(...bindable(parameters)),
  iterate: (parameters) => statement.iterate(...bindable(parameters)),
})

const bindable = (parameters: readonly unknown[]): SQLInputValue[] => parameters.map(toInput)

const toInput = (value: unknown): SQLInputValue => {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint")
    return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`a value of type ${typeof value} cannot be stored`)
}

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
