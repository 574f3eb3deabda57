import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import type { SqliteDatabase, SqliteStatement } from "kysely"

const capacity = 256

/** Adapts `DatabaseSync` to the database of kysely's SQLite driver, and caches the most recently used prepared statements. */
export const withStatementCache = (database: DatabaseSync): SqliteDatabase => {
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
      if (statements.size > capacity && !oldest.done) statements.delete(oldest.value)
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
