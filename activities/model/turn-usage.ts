import type { UsageTotals } from "../../domain/limits/usage-totals.ts"

/** The numbers only, in the order of the contract: totals may carry more. */
export const turnUsage = (totals: UsageTotals): UsageTotals => ({
  inputTokens: totals.inputTokens,
  outputTokens: totals.outputTokens,
  cacheReadTokens: totals.cacheReadTokens,
  cacheWriteTokens: totals.cacheWriteTokens,
  reasoningTokens: totals.reasoningTokens,
  costMicroUsd: totals.costMicroUsd,
})
