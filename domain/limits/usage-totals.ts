import type { Usage } from "../../contracts/usage.ts"
import type { TokenUsage } from "./usage-cost.ts"

/** Tokens and cost of several calls. `costMicroUsd` is null if the price of any call is unknown. */
export interface UsageTotals extends TokenUsage {
  readonly costMicroUsd: number | null
}

export const noTokens: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
}

export const noUsage: UsageTotals = { ...noTokens, costMicroUsd: 0 }

export const addUsage = (left: UsageTotals, right: UsageTotals): UsageTotals => combine(left, right, 1)

/** Returns the usage since `before`. */
export const usageSince = (total: UsageTotals, before: UsageTotals): UsageTotals => combine(total, before, -1)

const combine = (left: UsageTotals, right: UsageTotals, sign: 1 | -1): UsageTotals => ({
  inputTokens: left.inputTokens + sign * right.inputTokens,
  outputTokens: left.outputTokens + sign * right.outputTokens,
  cacheReadTokens: left.cacheReadTokens + sign * right.cacheReadTokens,
  cacheWriteTokens: left.cacheWriteTokens + sign * right.cacheWriteTokens,
  reasoningTokens: left.reasoningTokens + sign * right.reasoningTokens,
  costMicroUsd:
    left.costMicroUsd === null || right.costMicroUsd === null ? null : left.costMicroUsd + sign * right.costMicroUsd,
})

/** Returns the tokens that count against a token budget. Reasoning is part of the output. */
export const countedTokens = (usage: TokenUsage): number =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens

/** Converts millionths of a US dollar to US dollars; null if a price is unknown. */
export const usdOf = (microUsd: number | null): number | null => (microUsd === null ? null : microUsd / 1_000_000)

/** Converts usage to the shape of the API. */
export const toUsage = (totals: UsageTotals): Usage => ({
  input_tokens: totals.inputTokens,
  output_tokens: totals.outputTokens,
  cache_read_tokens: totals.cacheReadTokens,
  cache_write_tokens: totals.cacheWriteTokens,
  reasoning_tokens: totals.reasoningTokens,
  cost_usd: usdOf(totals.costMicroUsd),
})
