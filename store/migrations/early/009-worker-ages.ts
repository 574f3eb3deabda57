import type { Migration } from "../migration.ts"

const column = (number: string): string => `alter table workers add column seen_at ${number} not null default 0`

/** When a worker was last seen: the rows of killed containers, which no process of another machine can check, are removed by age. */
export const workerAges: Migration = {
  version: 9,
  sqlite: [column("integer"), "update workers set seen_at = cast(strftime('%s', 'now') as integer) * 1000"],
  postgres: [column("bigint"), "update workers set seen_at = cast(extract(epoch from now()) * 1000 as bigint)"],
}
