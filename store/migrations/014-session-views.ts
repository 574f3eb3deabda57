import type { Migration } from "./migration.ts"

const statements = (number: string, options: string): readonly string[] => [
  "alter table sessions add column blocked_by text",
  "alter table runs add column spending text",
  `alter table sessions add column ordinal ${number}`,
  `create table session_numbers (owner text not null primary key, last ${number} not null)${options}`,
  `update sessions set ordinal = numbered.position from (
    select num, row_number() over (
      partition by parent_id, case when parent_id is null then caller end order by num) as position
    from sessions where parent_id is not null or caller is not null) as numbered
  where numbered.num = sessions.num`,
  `insert into session_numbers (owner, last)
    select 'parent ' || parent_id, max(ordinal) from sessions where parent_id is not null group by parent_id`,
  `insert into session_numbers (owner, last)
    select 'caller ' || caller, max(ordinal) from sessions where parent_id is null and caller is not null group by caller`,
  `alter table events add column position ${number}`,
  "create index events_position on events (position) where position is not null",
]

/**
 * What blocks a session, what a run has used besides its own model calls, the number of each sub-agent, and the position of each event in the store. In
 * SQLite, whose writers take turns, positions are counted. In PostgreSQL, a position is the id of the writing transaction, which needs no lock;
 * transactions commit in another order, so that readers read from the oldest one that is still open.
 */
export const sessionViews: Migration = {
  version: 14,
  sqlite: statements("integer", " strict, without rowid"),
  postgres: [
    ...statements("bigint", ""),
    "alter table events alter column position set default (pg_current_xact_id()::text::bigint)",
  ],
}
