import { initialPostgres } from "../../postgres/initial-schema.ts"
import type { Migration } from "../migration.ts"

const session = "session_num integer not null references sessions (num) on delete cascade"

/**
 * Tables with long rows have a rowid, so that rows of any session are appended and packed densely. Tables with short rows are stored in their primary
 * key, which saves a second B-tree.
 */
export const initial: Migration = {
  version: 1,
  postgres: initialPostgres,
  sqlite: [
    `create table sessions (
      num integer primary key autoincrement, id text not null unique, session_key text not null, title text,
      agent text not null, model text not null, parent_id text, root_id text not null, depth integer not null,
      cwd text not null, label text, status text not null, stop_reason text, run_id text, final_message text, error text,
      steps_taken integer not null default 0, head_seq integer not null default 0, metadata text,
      created_at integer not null, updated_at integer not null, archived_at integer, deleted_at integer,
      first_event integer not null default 1, next_event integer not null default 1) strict`,
    "create index sessions_key on sessions (session_key)",
    "create index sessions_parent on sessions (parent_id) where parent_id is not null",
    "create index sessions_root on sessions (root_id)",
    "create index sessions_created on sessions (created_at)",
    "create index sessions_label on sessions (label) where label is not null",
    "create index sessions_open on sessions (status) where status in ('pending', 'running', 'paused')",

    `create table run_ids (num integer primary key, run_id text not null, ${session}, unique (run_id, session_num)) strict`,
    "create index run_ids_session on run_ids (session_num)",
    `create table runs (
      run_num integer primary key, ${session}, snapshot_hash text not null, status text not null, stop_reason text,
      final_message text, error text, steps_taken integer not null default 0, created_at integer not null,
      started_at integer, finished_at integer) strict`,
    "create index runs_session on runs (session_num)",
    "create table snapshots (hash text primary key, body text not null) strict",

    `create table messages (
      ${session}, seq integer not null, run_num integer not null, step integer not null, fence integer not null,
      at integer not null, body text not null, unique (session_num, seq)) strict`,
    `create table inbox (
      ${session}, id text not null, source text not null, text text not null, at integer not null,
      unique (session_num, id)) strict`,

    `create table events (
      ${session}, id integer not null, run_num integer not null, type integer not null, at integer not null,
      ordinal integer, delta_seq integer, compacted integer not null, data text, primary key (session_num, id)) strict, without rowid`,
    "create unique index events_ordinal on events (session_num, run_num, ordinal) where ordinal is not null",
    "create index events_delta on events (session_num, delta_seq) where delta_seq is not null",

    `create table claims (
      ${session}, seq integer not null, call_id text not null, tool text not null, fence integer not null,
      at integer not null, done integer not null, primary key (session_num, seq)) strict, without rowid`,
    `create table pauses (
      num integer primary key, checkpoint_id text not null unique, ${session}, run_num integer not null,
      ordinal integer not null, type text not null, calls text not null, message text not null,
      opened_at integer not null, closed_at integer, unique (session_num, run_num, ordinal)) strict`,
    "create index pauses_open on pauses (opened_at) where closed_at is null",
    `create table usage (
      ${session}, run_num integer not null, step integer not null, fence integer not null, model text not null,
      input_tokens integer not null, output_tokens integer not null, cache_read_tokens integer not null,
      cache_write_tokens integer not null, reasoning_tokens integer not null, cost_micro_usd integer,
      primary key (session_num, run_num, step, fence)) strict, without rowid`,
    `create table todos (session_num integer primary key references sessions (num) on delete cascade, todos text not null) strict`,
    `create table audit (
      id integer primary key autoincrement, key text, at integer not null, session_id text not null, run_id text,
      action text not null, by text not null, via text not null, detail text not null) strict`,
    "create unique index audit_key on audit (key) where key is not null",
    "create index audit_session on audit (session_id)",
  ],
}
