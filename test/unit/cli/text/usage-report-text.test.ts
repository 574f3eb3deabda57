import { expect, it } from "vitest"
import { usageReportText } from "../../../../cli/text/usage-report-text.ts"

const sum = {
  ...{ calls: 3, unpriced_calls: 1, input_tokens: 1_000, output_tokens: 20, cache_read_tokens: 200 },
  ...{ cache_write_tokens: 34, reasoning_tokens: 5, cost_usd: 1.5 },
}

it("shows each group and the total, with the calls whose price is unknown", () => {
  const text = usageReportText({ items: [{ day: "2026-05-31", label: null, ...sum }], total: sum }, ["day", "label"])
  expect(text.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "))).toEqual([
    "DAY | LABEL | CALLS | INPUT | OUTPUT | COST",
    "2026-05-31 | (none) | 3 | 1,234 | 20 | $1.50, without 1 call of unknown price",
    "total | 3 | 1,234 | 20 | $1.50, without 1 call of unknown price",
  ])
  expect(usageReportText({ items: [], total: { ...sum, calls: 0 } }, ["day"])).toBe("No model calls.")
})
