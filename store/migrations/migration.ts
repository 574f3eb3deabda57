/** One migration of the schema. A released migration never changes; a later change is a new migration. */
export interface Migration {
  readonly version: number
  /** Statements in order, for each kind of database. They run in the transaction that also records the version. */
  readonly sqlite: readonly string[]
  readonly postgres: readonly string[]
}
