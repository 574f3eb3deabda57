import type { Migration } from "../migration.ts"

const workers = (number: string): string => `create table workers (
  identity text not null primary key, machine text not null, pid ${number} not null, process_start text not null)`

const stopRequests = (number: string): string =>
  `create table stop_requests (run_id text not null primary key, requested_at ${number} not null)`

/** The worker processes of the store, and the runs whose calls must stop. */
export const liveness: Migration = {
  version: 7,
  sqlite: [
    `${workers("integer")} strict, without rowid`,
    `${stopRequests("integer")} strict, without rowid`,
    "create index stop_requests_age on stop_requests (requested_at)",
  ],
  postgres: [
    workers("bigint"),
    stopRequests("bigint"),
    "create index stop_requests_age on stop_requests (requested_at)",
  ],
}
