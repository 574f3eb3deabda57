import type { Migration } from "../migration.ts"

const orphanColumns = (number: string): string => `
  session_num ${number} not null primary key references sessions (num) on delete cascade,
  execution_id text not null, pass_id text not null, times ${number} not null, first_seen_at ${number} not null`

/** What the reconciler keeps between passes: where each job stopped, and children that looked like orphans. */
export const reconcilerNotes: Migration = {
  version: 6,
  sqlite: [
    "create table job_cursors (job text not null primary key, position text not null) strict, without rowid",
    `create table orphan_sightings (${orphanColumns("integer")}) strict`,
  ],
  postgres: [
    "create table job_cursors (job text not null primary key, position text not null)",
    `create table orphan_sightings (${orphanColumns("bigint")})`,
  ],
}
