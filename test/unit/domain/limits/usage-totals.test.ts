import { describe, expect, it } from "vitest"
import { addUsage, countedTokens, noUsage, toUsage } from "../../../../domain/limits/usage-totals.ts"

const spent = {
  inputTokens: 1_000,
  outputTokens: 100,
  cacheReadTokens: 10_000,
  cacheWriteTokens: 500,
  reasoningTokens: 40,
}

describe("totals of usage", () => {
  it("add up, and one unknown price makes the sum unknown from then on", () => {
    const known = { ...spent, costMicroUsd: 12_345 }
    expect(toUsage(addUsage(addUsage(noUsage, known), known))).toEqual({
      input_tokens: 2_000,
      output_tokens: 200,
      cache_read_tokens: 20_000,
      cache_write_tokens: 1_000,
      reasoning_tokens: 80,
      cost_usd: 0.02469,
    })
    const unknown = addUsage(known, { ...spent, costMicroUsd: null })
    expect(toUsage(addUsage(unknown, known)).cost_usd).toBeNull()
  })

  it("count reasoning once, as output", () => {
    expect(countedTokens(spent)).toBe(11_600)
  })
})
