import type { Migration } from "./migration.ts"

const statements = (number: string, options: string): readonly string[] => [
  `create table daily_usage (
    day ${number} not null primary key, micro_usd ${number} not null default 0, tokens ${number} not null default 0,
    warned_usd ${number} not null default 0, warned_tokens ${number} not null default 0)${options}`,
  `create table call_reservations (
    session_num ${number} not null references sessions (num) on delete cascade, run_num ${number} not null,
    step ${number} not null, day ${number} not null, micro_usd ${number} not null, tokens ${number} not null,
    primary key (session_num, run_num, step))${options}`,
  "create index call_reservations_day on call_reservations (day)",
]

/** What all runs of the store used each day, and the most that the model calls which run now can add. */
export const dailyUsage: Migration = {
  version: 15,
  sqlite: statements("integer", " strict, without rowid"),
  postgres: statements("bigint", ""),
}
