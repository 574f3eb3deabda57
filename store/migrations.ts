import { baseline } from "./migrations/022-baseline.ts"
import type { Migration } from "./migrations/migration.ts"
import { postgresSchema, sqliteSchema } from "./migrations/schema-dialect.ts"

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

/** In order of version. A store without a schema begins with the first one. */
export const migrations: readonly Migration[] = [baseline, callHash, filesTouched, countedPositions, placesInThreads]
