import type { Migration } from "./migration.ts"

const statements = ["alter table claims add column call_hash text"]

/** What a claim is for: its id and its place can belong to another call after a reset. */
export const callHash: Migration = { version: 23, sqlite: statements, postgres: statements }
