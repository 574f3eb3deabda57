import type { Migration } from "../migration.ts"

const columns = (number: string): string => `
  session_num ${number} not null primary key references sessions (num) on delete cascade,
  run_id text not null, claim_id text not null, times ${number} not null,
  first_seen_at ${number} not null, last_seen_at ${number} not null, accepted_at ${number}`

const lost = "status = 'failed' and stop_reason = 'terminated' and error like '%Temporal no longer knows this session%'"

/** Selects runs that earlier versions ended because a single query of an engine, perhaps the wrong one, did not find them. */
const knownLosses = `insert into missing_executions (session_num, run_id, claim_id, times, first_seen_at, last_seen_at)
  select runs.session_num, run_ids.run_id, '', 1, runs.finished_at, runs.finished_at
  from runs join run_ids on run_ids.num = runs.run_num
  where runs.finished_at is not null
    and runs.run_num in (select max(run_num) from runs where ${lost} group by session_num)`

/** Sessions that the engine did not know, and how often a run was opened again after it was recorded as lost. */
export const missingExecutions: Migration = {
  version: 5,
  sqlite: [
    `create table missing_executions (${columns("integer")}) strict`,
    "alter table runs add column reopened integer not null default 0",
    knownLosses,
  ],
  postgres: [
    `create table missing_executions (${columns("bigint")})`,
    "alter table runs add column reopened bigint not null default 0",
    knownLosses,
  ],
}
