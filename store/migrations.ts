import { baseline } from "./migrations/022-baseline.ts"
import type { Migration } from "./migrations/migration.ts"
import { postgresSchema, sqliteSchema } from "./migrations/schema-dialect.ts"

const addCallHash = ["alter table claims add column call_hash text"]

/** What a claim is for: its id and its place can belong to another call after a reset. */
const callHash: Migration = { version: 23, sqlite: addCallHash, postgres: addCallHash }

const touchedFiles = (number: string, options: string): readonly string[] => [
  `create table touched_files (
    session_num ${number} not null references sessions (num) on delete cascade, path text not null, seen text, written text,
    primary key (session_num, path))${options}`,
]

/** What sessions have read and written of files. */
const filesTouched: Migration = {
  version: 24,
  sqlite: touchedFiles(sqliteSchema.number, sqliteSchema.short),
  postgres: touchedFiles(postgresSchema.number, postgresSchema.short),
}

/** In order of version. A store without a schema begins with the first one. */
export const migrations: readonly Migration[] = [baseline, callHash, filesTouched]
