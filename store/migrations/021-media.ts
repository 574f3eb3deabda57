import type { Migration } from "./migration.ts"

const table = (number: string, binary: string): string => `create table media (
  session_num ${number} not null references sessions (num) on delete cascade,
  id text not null,
  media_type text not null,
  sha256 text not null,
  size ${number} not null,
  refused ${number} not null default 0,
  data ${binary} not null,
  primary key (session_num, id))`

/** Images and PDF files that tools returned, once per session. */
export const media: Migration = {
  version: 21,
  sqlite: [`${table("integer", "blob")} strict`],
  postgres: [table("bigint", "bytea")],
}
