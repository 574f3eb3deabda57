import type { Migration } from "./migration.ts"

const statements = (number: string): readonly string[] => [
  "alter table sessions add column machine text",
  "alter table sessions add column directory text",
  `create table machines (name text not null primary key, seen_at ${number} not null)`,
  `create table left_processes (
  machine text not null, session_id text not null, at ${number} not null, primary key (machine, session_id))`,
]

/** On which machine the working directory of a session is, which machines have workers, and what background processes ended runs left there. */
export const machines: Migration = { version: 12, sqlite: statements("integer"), postgres: statements("bigint") }
