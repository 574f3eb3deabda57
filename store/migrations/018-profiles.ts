import type { Migration } from "./migration.ts"

/**
 * `profile` is JSON, and null after the profile was deleted: the row remains, so that no version is used twice. `updated_by` is the caller of the
 * latest change; the audit has all changes.
 */
const table = (number: string): string => `create table profiles (
  name text not null primary key,
  version ${number} not null,
  profile text,
  updated_at ${number} not null,
  updated_by text not null
)`

/** Profiles that are created while Adjutant runs. */
export const profiles: Migration = {
  version: 18,
  sqlite: [`${table("integer")} strict, without rowid`],
  postgres: [table("bigint")],
}
