import type { Migration } from "./migration.ts"

const table = (number: string): string => `create table call_edits (
  session_num ${number} not null references sessions (num) on delete cascade, seq ${number} not null,
  call_id text not null, arguments text not null, primary key (session_num, seq))`

/** The arguments that approvers gave to calls. */
export const callEdits: Migration = {
  version: 13,
  sqlite: [`${table("integer")} strict, without rowid`],
  postgres: [table("bigint")],
}
