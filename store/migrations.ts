import { baseline } from "./migrations/022-baseline.ts"
import type { Migration } from "./migrations/migration.ts"

const addCallHash = ["alter table claims add column call_hash text"]

/** What a claim is for: its id and its place can belong to another call after a reset. */
const callHash: Migration = { version: 23, sqlite: addCallHash, postgres: addCallHash }

/** In order of version. A store without a schema begins with the first one. */
export const migrations: readonly Migration[] = [baseline, callHash]
