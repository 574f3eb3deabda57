import type { Migration } from "./migration.ts"

const statements = [
  "alter table sessions add column internal text",
  "alter table sessions add column caller text",
  "create index sessions_caller on sessions (caller) where caller is not null",
]

/** Who started a session from outside a run, and Adjutant's own values apart from those that a request gives. */
export const callers: Migration = { version: 10, sqlite: statements, postgres: statements }
