import type { Migration } from "./migration.ts"

const table = (number: string): string => `create table worktrees (
  session_num ${number} not null primary key references sessions (num) on delete cascade,
  status text not null,
  machine text not null,
  path text not null,
  source text not null,
  tree text,
  details text,
  patch text,
  merge_key text,
  updated_at ${number} not null)`

/** The git worktrees of sessions, and what was changed in them. */
export const worktrees: Migration = {
  version: 20,
  sqlite: [`${table("integer")} strict`],
  postgres: [table("bigint")],
}
