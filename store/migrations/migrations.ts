import { baseline } from "./022-baseline.ts"
import type { Migration } from "./migration.ts"
import { postgresSchema, sqliteSchema } from "./schema-dialect.ts"

const addCallHash = ["alter table claims add column call_hash text"]

/** What a claim is for: its id and its place can belong to another call after a reset. */
const callHash: Migration = { version: 23, sqlite: addCallHash, postgres: addCallHash }

const touchedFiles = (number: string, options: string): readonly string[] => [
  `create table touched_files (
    session_num ${number} not null references sessions (num) on delete cascade, path text not null, seen text, written text,
    primary key (session_num, path))${options}`,
]

/** What sessions have read and written of files. */
const filesTouched: Migration = {
  version: 24,
  sqlite: touchedFiles(sqliteSchema.number, sqliteSchema.short),
  postgres: touchedFiles(postgresSchema.number, postgresSchema.short),
}

/**
 * Numbers the events of the store, as SQLite's are. Before, the id of the writing transaction was the position: it counts in all databases of a
 * server, waits for each of them, and begins low in another server.
 */
const countedPositions: Migration = {
  version: 25,
  sqlite: [],
  postgres: [
    "create sequence event_positions owned by events.position",
    "alter table events alter column position set default nextval('event_positions')",
    "select setval('event_positions', coalesce(max(position), 0) + 1, false) from events",
  ],
}

const threadPlaces = (number: string, threadKey: string): readonly string[] => [
  "alter table deliveries add column thread text",
  `alter table deliveries add column thread_number ${number}`,
  `update deliveries set thread = url || ' ' || coalesce(${threadKey}, ''), thread_number = created_at
    where kind = 'channel'`,
  "create index deliveries_thread on deliveries (thread, thread_number) where thread is not null",
  "create index deliveries_waiting on deliveries (thread, thread_number) where thread is not null and status = 'pending'",
]

/** The order of messages to a thread. Before, it was that of their workers' clocks. */
const placesInThreads: Migration = {
  version: 26,
  sqlite: threadPlaces(sqliteSchema.number, "json_extract(body, '$.thread_key')"),
  postgres: threadPlaces(postgresSchema.number, "body::json ->> 'thread_key'"),
}

/** Who started the tree of a session, as usage names it. It remains when the session is erased. */
const callerOfUsage = `coalesce((select case when root.caller = 'http:local' or root.caller like 'cli:%' then 'local' else root.caller end
  from sessions join sessions root on root.id = sessions.root_id where sessions.num = usage.session_num), 'local')`

const usageTimes = (number: string): readonly string[] => [
  `alter table usage add column at ${number} not null default 0`,
  "alter table usage add column caller text not null default 'local'",
  `update usage set caller = ${callerOfUsage},
    at = coalesce((select coalesce(runs.finished_at, runs.started_at, runs.created_at) from runs where runs.run_num = usage.run_num), 0)`,
  "create index usage_caller on usage (caller, at)",
]

/** When each model call was counted, and for whom. Of earlier calls, the time is that of their run. */
const timedUsage: Migration = {
  version: 27,
  sqlite: usageTimes(sqliteSchema.number),
  postgres: usageTimes(postgresSchema.number),
}

/** In order of version. A store without a schema begins with the first one. */
export const migrations: readonly Migration[] = [
  baseline,
  callHash,
  filesTouched,
  countedPositions,
  placesInThreads,
  timedUsage,
]
