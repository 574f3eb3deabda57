/** What the baseline schema says differently in each kind of database. */
export interface SchemaDialect {
  readonly number: string
  /** A number that is always small. */
  readonly small: string
  readonly real: string
  readonly binary: string
  /** A number for each row, which is never used again. */
  readonly identity: string
  /** A number for each row. */
  readonly rowNumber: string
  /** The key of a table with long rows. */
  readonly keyOfLong: string
  /** Options of a table with long rows, one with short rows, and the one whose rows change most often. */
  readonly long: string
  readonly short: string
  readonly changing: string
  /** The default of an event's position in the store. */
  readonly position: string
}

/**
 * Tables with long rows have a rowid, so that rows of any session are appended and packed densely. Tables with short rows are stored in their primary
 * key, which saves a second B-tree.
 */
export const sqliteSchema: SchemaDialect = {
  number: "integer",
  small: "integer",
  real: "real",
  binary: "blob",
  identity: "integer primary key autoincrement",
  rowNumber: "integer primary key",
  keyOfLong: "unique",
  long: " strict",
  short: " strict, without rowid",
  changing: " strict",
  position: "",
}

const identity = "bigint generated always as identity primary key"

/**
 * Until migration 25, a position is the id of the writing transaction; that migration replaces it by a sequence. In SQLite, whose writers take turns,
 * positions are counted.
 */
export const postgresSchema: SchemaDialect = {
  number: "bigint",
  small: "smallint",
  real: "double precision",
  binary: "bytea",
  identity,
  rowNumber: identity,
  keyOfLong: "primary key",
  long: "",
  short: "",
  changing: " with (fillfactor = 70)",
  position: " default (pg_current_xact_id()::text::bigint)",
}
