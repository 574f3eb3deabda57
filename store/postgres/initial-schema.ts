const identity = "bigint generated always as identity primary key"
const session = "session_num bigint not null references sessions (num) on delete cascade"

/**
 * The tables of 001-initial.ts. JSON is stored as text: jsonb would change the order of keys, and with it the prefix of a prompt that providers
 * have cached.
 */
export const initialPostgres: readonly string[] = [
  `create table sessions (
    num ${identity}, id text not null unique, session_key text not null, title text,
    agent text not null, model text not null, parent_id text, root_id text not null, depth bigint not null,
    cwd text not null, label text, status text not null, stop_reason text, run_id text, final_message text, error text,
    steps_taken bigint not null default 0, head_seq bigint not null default 0, metadata text,
    created_at bigint not null, updated_at bigint not null, archived_at bigint, deleted_at bigint,
    first_event bigint not null default 1, next_event bigint not null default 1) with (fillfactor = 70)`,
  "create index sessions_key on sessions (session_key)",
  "create index sessions_parent on sessions (parent_id) where parent_id is not null",
  "create index sessions_root on sessions (root_id)",
  "create index sessions_created on sessions (created_at)",
  "create index sessions_label on sessions (label) where label is not null",
  "create index sessions_open on sessions (status) where status in ('pending', 'running', 'paused')",

  `create table run_ids (num ${identity}, run_id text not null, ${session}, unique (run_id, session_num))`,
  "create index run_ids_session on run_ids (session_num)",
  `create table runs (
    run_num bigint primary key, ${session}, snapshot_hash text not null, status text not null, stop_reason text,
    final_message text, error text, steps_taken bigint not null default 0, created_at bigint not null,
    started_at bigint, finished_at bigint)`,
  "create index runs_session on runs (session_num)",
  "create table snapshots (hash text primary key, body text not null)",

  `create table messages (
    ${session}, seq bigint not null, run_num bigint not null, step bigint not null, fence bigint not null,
    at bigint not null, body text not null, primary key (session_num, seq))`,
  `create table inbox (
    ${session}, id text not null, source text not null, text text not null, at bigint not null,
    primary key (session_num, id))`,

  `create table events (
    ${session}, id bigint not null, run_num bigint not null, type smallint not null, compacted smallint not null,
    at bigint not null, ordinal bigint, delta_seq bigint, data text, primary key (session_num, id))`,
  "create unique index events_ordinal on events (session_num, run_num, ordinal) where ordinal is not null",
  "create index events_delta on events (session_num, delta_seq) where delta_seq is not null",

  `create table claims (
    ${session}, seq bigint not null, call_id text not null, tool text not null, fence bigint not null,
    at bigint not null, done smallint not null, primary key (session_num, seq))`,
  `create table pauses (
    num ${identity}, checkpoint_id text not null unique, ${session}, run_num bigint not null,
    ordinal bigint not null, type text not null, calls text not null, message text not null,
    opened_at bigint not null, closed_at bigint, unique (session_num, run_num, ordinal))`,
  "create index pauses_open on pauses (opened_at) where closed_at is null",
  `create table usage (
    ${session}, run_num bigint not null, step bigint not null, fence bigint not null, model text not null,
    input_tokens bigint not null, output_tokens bigint not null, cache_read_tokens bigint not null,
    cache_write_tokens bigint not null, reasoning_tokens bigint not null, cost_micro_usd bigint,
    primary key (session_num, run_num, step, fence))`,
  "create table todos (session_num bigint primary key references sessions (num) on delete cascade, todos text not null)",
  `create table audit (
    id ${identity}, key text, at bigint not null, session_id text not null, run_id text,
    action text not null, by text not null, via text not null, detail text not null)`,
  "create unique index audit_key on audit (key) where key is not null",
  "create index audit_session on audit (session_id)",
]
