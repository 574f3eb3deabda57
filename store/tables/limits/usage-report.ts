import { type RawBuilder, sql } from "kysely"
import type { UsageGroup } from "../../../contracts/usage.ts"
import type { UsageTotals } from "../../../domain/limits/usage-totals.ts"
import { dateOf } from "../../../domain/limits/daily-limits.ts"
import { dayMs } from "../../../domain/text/duration.ts"
import type { Reader } from "../../database/database.ts"
import { summedTokens, usageSums } from "./usage-sums.ts"

/** Which calls a report counts, and by what. `toMs` is exclusive. */
export interface UsageQuery {
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  readonly groupBy: readonly UsageGroup[]
  readonly limit: number
}

/** What the calls of one group used. `costMicroUsd` has those whose price is known; it is null if there is none. */
export interface UsageSum extends UsageTotals {
  readonly keys: Readonly<Partial<Record<UsageGroup, string | null>>>
  readonly calls: number
  readonly unpricedCalls: number
}

const columns: Readonly<Record<UsageGroup, RawBuilder<string | number | null>>> = {
  day: sql`usage.at / ${sql.lit(dayMs)}`,
  profile: sql`sessions.agent`,
  model: sql`usage.model`,
  label: sql`roots.label`,
  caller: sql`usage.caller`,
}

const aliasOf = (group: UsageGroup): `group_${UsageGroup}` => `group_${group}`

const groupKey = (group: UsageGroup, value: string | number | null | undefined): string | null => {
  if (value === null || value === undefined) return null
  return group === "day" ? dateOf(Number(value)) : String(value)
}

/** Returns the sums of each group, in the order of the groups' values. A label is that of the root of a session's tree, and is null once that is erased. */
export const reportUsage = async (
  db: Reader,
  { fromMs, toMs, groupBy, limit }: UsageQuery,
): Promise<readonly UsageSum[]> => {
  let query = db
    .selectFrom("usage")
    .innerJoin("sessions", "sessions.num", "usage.session_num")
    .leftJoin("sessions as roots", "roots.id", "sessions.root_id")
    .select([...usageSums])
    .select(groupBy.map((group) => columns[group].as(aliasOf(group))))
    .limit(limit)
  if (fromMs !== undefined) query = query.where("usage.at", ">=", fromMs)
  if (toMs !== undefined) query = query.where("usage.at", "<", toMs)
  for (const group of groupBy) query = query.groupBy(columns[group]).orderBy(columns[group])
  const rows = await query.execute()
  return rows
    .filter(({ calls }) => Number(calls) > 0)
    .map((row) => ({
      keys: Object.fromEntries(groupBy.map((group) => [group, groupKey(group, row[aliasOf(group)])])),
      calls: Number(row.calls),
      unpricedCalls: Number(row.calls) - Number(row.priced),
      ...summedTokens(row),
      costMicroUsd: Number(row.priced) === 0 ? null : Number(row.costMicroUsd),
    }))
}
