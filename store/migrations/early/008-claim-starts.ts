import type { Migration } from "../migration.ts"

/** How often a claimed call was started, and the fence of the attempt that started it last. */
const columns = (number: string): readonly string[] => [
  `alter table claims add column starts ${number} not null default 1`,
  `alter table claims add column last_start ${number} not null default 0`,
]

export const claimStarts: Migration = { version: 8, sqlite: columns("integer"), postgres: columns("bigint") }
