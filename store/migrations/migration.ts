/** One step of the schema. A step that was released never changes: what comes later is a new one. */
export interface Migration {
  readonly version: number
  /** Statements in order, by kind of database. They run in the transaction that also records the version. */
  readonly sqlite: readonly string[]
  readonly postgres: readonly string[]
}
