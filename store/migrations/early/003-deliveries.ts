import type { Migration } from "../migration.ts"

const columns = (number: string): string => `
  key text not null primary key,
  session_num ${number} not null references sessions (num) on delete cascade,
  run_id text not null, kind text not null, event text not null, url text not null, secret_env text not null,
  body text not null, policy text not null, status text not null, attempts ${number} not null,
  last_error text, next_try_at ${number}, created_at ${number} not null, updated_at ${number} not null`

const indexes = [
  "create index deliveries_status on deliveries (status, created_at)",
  "create index deliveries_session on deliveries (session_num)",
]

/** Messages to webhooks and channels. Their state is separate from the run's. */
export const deliveries: Migration = {
  version: 3,
  sqlite: [`create table deliveries (${columns("integer")}) strict, without rowid`, ...indexes],
  postgres: [`create table deliveries (${columns("bigint")})`, ...indexes],
}
