import type { Migration } from "../migration.ts"

const columns = (number: string): string => `
  session_num ${number} not null primary key references sessions (num) on delete cascade,
  channel text not null, thread_key text not null, outbound text not null,
  bound_at ${number} not null, active_at ${number} not null, idle_ms ${number} not null, max_age_ms ${number} not null,
  unique (channel, thread_key)`

/** Which session answers in a channel's thread. */
export const bindings: Migration = {
  version: 4,
  sqlite: [`create table bindings (${columns("integer")}) strict`],
  postgres: [`create table bindings (${columns("bigint")})`],
}
