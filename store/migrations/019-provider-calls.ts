import type { Migration } from "./migration.ts"

const statements = (number: string, level: string, options: string): readonly string[] => [
  `create table provider_keys (
    provider_key text not null primary key, requests ${level} not null default 0, tokens ${level} not null default 0,
    at ${number} not null default 0, blocked_until ${number} not null default 0,
    call_ms ${number} not null default 0, next_ticket ${number} not null default 1)${options}`,
  `create table provider_calls (
    session_num ${number} not null references sessions (num) on delete cascade, run_num ${number} not null,
    step ${number} not null, provider_key text not null, ticket ${number} not null, calling ${number} not null,
    start_at ${number} not null, lapses_at ${number} not null, tokens ${number} not null,
    primary key (session_num, run_num, step))${options}`,
  "create index provider_calls_key on provider_calls (provider_key)",
]

/** What the runs of the store use of each provider's key, and the calls that run or wait for their time. */
export const providerCalls: Migration = {
  version: 19,
  sqlite: statements("integer", "real", " strict, without rowid"),
  postgres: statements("bigint", "double precision", ""),
}
