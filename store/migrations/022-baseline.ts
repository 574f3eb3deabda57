import type { Migration } from "./migration.ts"
import { postgresSchema, type SchemaDialect, sqliteSchema } from "./schema-dialect.ts"

type Statements = (dialect: SchemaDialect) => readonly string[]

const sessionOf = ({ number }: SchemaDialect): string =>
  `session_num ${number} not null references sessions (num) on delete cascade`

const sessionKeyOf = ({ number }: SchemaDialect): string =>
  `session_num ${number} not null primary key references sessions (num) on delete cascade`

/** Sessions, and the number that each has among the sub-agents of its parent, or of its caller. */
const sessions: Statements = ({ number, identity, changing, short }) => [
  `create table sessions (
    num ${identity}, id text not null unique, session_key text not null, title text, agent text not null,
    model text not null, parent_id text, root_id text not null, depth ${number} not null, ordinal ${number},
    caller text, cwd text not null, machine text, directory text, label text, status text not null, stop_reason text,
    blocked_by text, run_id text, final_message text, error text, steps_taken ${number} not null default 0,
    head_seq ${number} not null default 0, metadata text, internal text, created_at ${number} not null,
    updated_at ${number} not null, archived_at ${number}, deleted_at ${number},
    first_event ${number} not null default 1, next_event ${number} not null default 1)${changing}`,
  "create index sessions_key on sessions (session_key)",
  "create index sessions_parent on sessions (parent_id) where parent_id is not null",
  "create index sessions_root on sessions (root_id)",
  "create index sessions_created on sessions (created_at)",
  "create index sessions_label on sessions (label) where label is not null",
  "create index sessions_caller on sessions (caller) where caller is not null",
  "create index sessions_open on sessions (status) where status in ('pending', 'running', 'paused')",
  `create table session_numbers (owner text not null primary key, last ${number} not null)${short}`,
]

/** Runs, and the settings with which they were started. */
const runs: Statements = (dialect) => [
  `create table run_ids (
    num ${dialect.rowNumber}, run_id text not null, ${sessionOf(dialect)}, unique (run_id, session_num))${dialect.long}`,
  "create index run_ids_session on run_ids (session_num)",
  `create table runs (
    run_num ${dialect.number} primary key, ${sessionOf(dialect)}, snapshot_hash text not null, status text not null,
    stop_reason text, final_message text, error text, steps_taken ${dialect.number} not null default 0, spending text,
    reopened ${dialect.number} not null default 0, created_at ${dialect.number} not null,
    started_at ${dialect.number}, finished_at ${dialect.number})${dialect.long}`,
  "create index runs_session on runs (session_num)",
  `create table snapshots (hash text primary key, body text not null)${dialect.long}`,
]

/** Transcripts, messages that wait for their place in one, and events. Images and PDF files are stored once per session; their index has what their limit needs. */
const transcripts: Statements = (dialect) => {
  const { number, small, keyOfLong, long, short } = dialect
  const session = sessionOf(dialect)
  return [
    `create table messages (
      ${session}, seq ${number} not null, run_num ${number} not null, step ${number} not null,
      fence ${number} not null, at ${number} not null, body text not null, ${keyOfLong} (session_num, seq))${long}`,
    `create table inbox (
      ${session}, id text not null, source text not null, text text not null, at ${number} not null,
      ${keyOfLong} (session_num, id))${long}`,
    `create table media (
      ${session}, id text not null, media_type text not null, sha256 text not null, size ${number} not null,
      refused_by text not null default '[]', data ${dialect.binary} not null, primary key (session_num, id))${long}`,
    "create index media_size on media (session_num, size)",
    `create table shown_folders (
      ${session}, folder text not null, seq ${number} not null, primary key (session_num, folder))${short}`,
    `create table todos (
      session_num ${number} primary key references sessions (num) on delete cascade, todos text not null)${long}`,
    `create table events (
      ${session}, id ${number} not null, run_num ${number} not null, type ${small} not null, at ${number} not null,
      ordinal ${number}, delta_seq ${number}, compacted ${small} not null, data text,
      position ${number}${dialect.position}, primary key (session_num, id))${short}`,
    "create unique index events_ordinal on events (session_num, run_num, ordinal) where ordinal is not null",
    "create index events_delta on events (session_num, delta_seq) where delta_seq is not null",
    "create index events_position on events (position) where position is not null",
  ]
}

/** Calls that were started, what people are shown of them, and what they decided. */
const calls: Statements = (dialect) => {
  const { number, small, long, short } = dialect
  const session = sessionOf(dialect)
  return [
    `create table claims (
      ${session}, seq ${number} not null, call_id text not null, tool text not null, fence ${number} not null,
      at ${number} not null, done ${small} not null, starts ${number} not null default 1,
      last_start ${number} not null default 0, primary key (session_num, seq))${short}`,
    `create table call_previews (
      ${session}, seq ${number} not null, call_id text not null, preview text not null, watched text,
      primary key (session_num, seq))${short}`,
    `create table call_edits (
      ${session}, seq ${number} not null, call_id text not null, arguments text not null,
      primary key (session_num, seq))${short}`,
    `create table pauses (
      num ${dialect.rowNumber}, checkpoint_id text not null unique, ${session}, run_num ${number} not null,
      ordinal ${number} not null, type text not null, calls text not null, message text not null,
      opened_at ${number} not null, closed_at ${number}, unique (session_num, run_num, ordinal))${long}`,
    "create index pauses_open on pauses (opened_at) where closed_at is null",
    `create table grants (
      id text not null primary key, ${session}, tool text not null, arguments text not null, created_by text not null,
      created_via text not null, created_at ${number} not null, expires_at ${number} not null,
      revoked_at ${number}, revoked_by text)${short}`,
    "create index grants_session on grants (session_num)",
    `create table audit (
      id ${dialect.identity}, key text, at ${number} not null, session_id text not null, run_id text,
      action text not null, by text not null, via text not null, actor text not null, hash text, detail text not null)${long}`,
    "create unique index audit_key on audit (key) where key is not null",
    "create index audit_session on audit (session_id)",
  ]
}

/** What model calls used, and the most that those which run now can add, by day and by provider's key. */
const usage: Statements = (dialect) => {
  const { number, real, short } = dialect
  const session = sessionOf(dialect)
  return [
    `create table usage (
      ${session}, run_num ${number} not null, step ${number} not null, fence ${number} not null, model text not null,
      input_tokens ${number} not null, output_tokens ${number} not null, cache_read_tokens ${number} not null,
      cache_write_tokens ${number} not null, reasoning_tokens ${number} not null, cost_micro_usd ${number},
      primary key (session_num, run_num, step, fence))${short}`,
    `create table daily_usage (
      day ${number} not null primary key, micro_usd ${number} not null default 0, tokens ${number} not null default 0,
      warned_usd ${number} not null default 0, warned_tokens ${number} not null default 0)${short}`,
    `create table call_reservations (
      ${session}, run_num ${number} not null, step ${number} not null, day ${number} not null,
      micro_usd ${number} not null, tokens ${number} not null, primary key (session_num, run_num, step))${short}`,
    "create index call_reservations_day on call_reservations (day)",
    `create table provider_keys (
      provider_key text not null primary key, requests ${real} not null default 0, tokens ${real} not null default 0,
      at ${number} not null default 0, blocked_until ${number} not null default 0,
      call_ms ${number} not null default 0, next_ticket ${number} not null default 1)${short}`,
    `create table provider_calls (
      ${session}, run_num ${number} not null, step ${number} not null, provider_key text not null,
      ticket ${number} not null, calling ${number} not null, start_at ${number} not null,
      lapses_at ${number} not null, tokens ${number} not null, primary key (session_num, run_num, step))${short}`,
    "create index provider_calls_key on provider_calls (provider_key)",
  ]
}

/** Requests that may be sent twice, messages to webhooks and channels, and which session answers in a channel's thread. */
const exchanges: Statements = (dialect) => {
  const { number, long, short } = dialect
  return [
    `create table idempotency_keys (
      scope text not null, key text not null, fingerprint text not null, claimed_at ${number} not null,
      expires_at ${number} not null, status ${number}, body text, primary key (scope, key))${short}`,
    "create index idempotency_keys_expiry on idempotency_keys (expires_at)",
    `create table deliveries (
      key text not null primary key, ${sessionOf(dialect)}, run_id text not null, kind text not null,
      event text not null, url text not null, secret_env text not null, body text not null, policy text not null,
      status text not null, attempts ${number} not null, last_error text, next_try_at ${number},
      created_at ${number} not null, updated_at ${number} not null)${short}`,
    "create index deliveries_status on deliveries (status, created_at)",
    "create index deliveries_session on deliveries (session_num)",
    `create table bindings (
      ${sessionKeyOf(dialect)}, channel text not null, thread_key text not null, outbound text not null,
      bound_at ${number} not null, active_at ${number} not null, idle_ms ${number} not null,
      max_age_ms ${number} not null, unique (channel, thread_key))${long}`,
    `create table profiles (
      name text not null primary key, version ${number} not null, profile text, updated_at ${number} not null,
      updated_by text not null)${short}`,
  ]
}

/** Workers and machines, what they left behind, worktrees, and what the reconciler keeps between passes. */
const operation: Statements = (dialect) => {
  const { number, long, short } = dialect
  const sessionKey = sessionKeyOf(dialect)
  return [
    `create table workers (
      identity text not null primary key, machine text not null, pid ${number} not null, process_start text not null,
      seen_at ${number} not null default 0)${short}`,
    `create table stop_requests (run_id text not null primary key, requested_at ${number} not null)${short}`,
    "create index stop_requests_age on stop_requests (requested_at)",
    `create table machines (name text not null primary key, seen_at ${number} not null)`,
    `create table left_processes (
      machine text not null, session_id text not null, at ${number} not null, primary key (machine, session_id))`,
    `create table worktrees (
      ${sessionKey}, status text not null, machine text not null, path text not null, source text not null, tree text,
      details text, patch text, merge_key text, updated_at ${number} not null)${long}`,
    `create table missing_executions (
      ${sessionKey}, run_id text not null, claim_id text not null, times ${number} not null,
      first_seen_at ${number} not null, last_seen_at ${number} not null, accepted_at ${number})${long}`,
    `create table job_cursors (job text not null primary key, position text not null)${short}`,
    `create table orphan_sightings (
      ${sessionKey}, execution_id text not null, pass_id text not null, times ${number} not null,
      first_seen_at ${number} not null)${long}`,
  ]
}

const statements: Statements = (dialect) =>
  [sessions, runs, transcripts, calls, usage, exchanges, operation].flatMap((part) => part(dialect))

/**
 * The first schema that upgrades are supported from (docs/decisions/0025); versions up to 21 were never released. JSON is stored as text: jsonb would
 * change the order of keys, and with it the prefix of a prompt that providers have cached.
 */
export const baseline: Migration = {
  version: 22,
  sqlite: statements(sqliteSchema),
  postgres: statements(postgresSchema),
}
