import type { UsageTotals } from "../../store/store.ts"
import type { TurnUsage } from "../contract/agent-activities.ts"

/** The numbers only, in the order of the contract: totals may carry more. */
export const turnUsage = (totals: UsageTotals): TurnUsage => ({
  inputTokens: totals.inputTokens,
  outputTokens: totals.outputTokens,
  cacheReadTokens: totals.cacheReadTokens,
  cacheWriteTokens: totals.cacheWriteTokens,
  reasoningTokens: totals.reasoningTokens,
  costMicroUsd: totals.costMicroUsd,
})
