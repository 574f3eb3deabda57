import type { Migration } from "./migration.ts"

const table = (number: string): string => `create table grants (
  id text not null primary key, session_num ${number} not null references sessions (num) on delete cascade,
  tool text not null, arguments text not null, created_by text not null, created_via text not null,
  created_at ${number} not null, expires_at ${number} not null, revoked_at ${number}, revoked_by text)`

const index = "create index grants_session on grants (session_num)"

/** Standing decisions about the calls of a session. */
export const grants: Migration = {
  version: 16,
  sqlite: [`${table("integer")} strict, without rowid`, index],
  postgres: [table("bigint"), index],
}
