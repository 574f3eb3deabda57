import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { UsageGroup, UsageItem, UsageReport } from "../../contracts/usage.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { timeOf } from "./time-of.ts"

/** What a report of usage contains. Times are ISO 8601; `to` is exclusive. Without `groupBy`, only the total. */
export interface UsageRequest {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly groupBy?: readonly UsageGroup[] | undefined
}

type Sum = Awaited<ReturnType<SessionsContext["store"]["usage"]["report"]>>[number]

const mostGroups = 10_000

const noCalls: Omit<UsageItem, UsageGroup> = {
  ...{ calls: 0, unpriced_calls: 0, input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
  ...{ reasoning_tokens: 0, cost_usd: 0 },
}

const sumOf = (sum: Sum) => ({ calls: sum.calls, unpriced_calls: sum.unpricedCalls, ...toUsage(sum) })

/** Returns what model calls used and cost, in groups, without known secrets. @throws AdjutantError `invalid_argument` */
export const readUsage = async (
  { store, redact }: Pick<SessionsContext, "store" | "redact">,
  { from, to, groupBy = [] }: UsageRequest,
): Promise<UsageReport> => {
  const range = { fromMs: timeOf("from", from), toMs: timeOf("to", to) }
  const groups = [...new Set(groupBy)]
  const [total] = await store.usage.report({ ...range, groupBy: [], limit: 1 })
  if (total === undefined) return { items: [], total: noCalls }
  const sums = groups.length === 0 ? [] : await store.usage.report({ ...range, groupBy: groups, limit: mostGroups + 1 })
  if (sums.length > mostGroups)
    throw new AdjutantError(
      "invalid_argument",
      `the report has more than ${mostGroups} groups: group by less, or choose a shorter time with from and to`,
    )
  const items = sums.map((sum) => ({
    ...Object.fromEntries(
      Object.entries(sum.keys).map(([group, key]) => [group, typeof key === "string" ? redact(key) : key]),
    ),
    ...sumOf(sum),
  }))
  return { items, total: sumOf(total) }
}
