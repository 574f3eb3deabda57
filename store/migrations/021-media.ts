import type { Migration } from "./migration.ts"

const table = (number: string, binary: string): string => `create table media (
  session_num ${number} not null references sessions (num) on delete cascade,
  id text not null,
  media_type text not null,
  sha256 text not null,
  size ${number} not null,
  refused_by text not null default '[]',
  data ${binary} not null,
  primary key (session_num, id))`

const forSize = "create index media_size on media (session_num, size)"

/** Images and PDF files that tools returned, once per session. The index has what their limit needs, without their bytes. */
export const media: Migration = {
  version: 21,
  sqlite: [`${table("integer", "blob")} strict`, forSize],
  postgres: [table("bigint", "bytea"), forSize],
}
