import type { UsageGroup, UsageItem, UsageReport } from "../../contracts/usage.ts"
import { counted } from "../../domain/text/figures.ts"
import { costText } from "./figures.ts"
import { oneLine } from "../terminal/plain-text.ts"
import { table } from "./table.ts"

type Sum = UsageReport["total"]

const count = (value: number): string => value.toLocaleString("en-US")

const costOf = ({ cost_usd: cost, unpriced_calls: unpriced, calls }: Sum): string =>
  unpriced > 0 && unpriced < calls
    ? `${costText(cost)}, without ${counted(unpriced, "call")} of unknown price`
    : costText(cost)

const figures = (sum: Sum): readonly string[] => [
  count(sum.calls),
  count(sum.input_tokens + sum.cache_read_tokens + sum.cache_write_tokens),
  count(sum.output_tokens),
  costOf(sum),
]

const groupText = (item: UsageItem, group: UsageGroup): string => oneLine(item[group] ?? "(none)", 60)

/** Returns a usage report as a table; its last line is the total. */
export const usageReportText = ({ items, total }: UsageReport, groups: readonly UsageGroup[]): string => {
  if (total.calls === 0) return "No model calls."
  return table(
    [...groups.map((group) => group.toUpperCase()), "CALLS", "INPUT", "OUTPUT", "COST"],
    [
      ...items.map((item) => [...groups.map((group) => groupText(item, group)), ...figures(item)]),
      [...groups.map((_, index) => (index === 0 ? "total" : "")), ...figures(total)],
    ],
  )
}
