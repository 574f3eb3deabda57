import type { UsageTotals } from "../../domain/limits/usage-totals.ts"

/** Returns only the fields of the contract, in its order: the totals may have more. */
export const turnUsage = (totals: UsageTotals): UsageTotals => ({
  inputTokens: totals.inputTokens,
  outputTokens: totals.outputTokens,
  cacheReadTokens: totals.cacheReadTokens,
  cacheWriteTokens: totals.cacheWriteTokens,
  reasoningTokens: totals.reasoningTokens,
  costMicroUsd: totals.costMicroUsd,
})
