import type { Migration } from "./migration.ts"

const table = (number: string): string => `create table call_previews (
  session_num ${number} not null references sessions (num) on delete cascade, seq ${number} not null,
  call_id text not null, preview text not null, watched text,
  primary key (session_num, seq))`

/** What people are shown of a call before they decide, and the file that it was made against. */
export const callPreviews: Migration = {
  version: 11,
  sqlite: [`${table("integer")} strict, without rowid`],
  postgres: [table("bigint")],
}
