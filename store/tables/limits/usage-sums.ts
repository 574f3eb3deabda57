import { sql } from "kysely"
import type { UsageTotals } from "../../../domain/limits/usage-totals.ts"

/** The sums of rows of the table `usage`, for a query that reads it. `priced`: of how many `calls` the price is known. */
export const usageSums = [
  sql<number | null>`sum(usage.input_tokens)`.as("inputTokens"),
  sql<number | null>`sum(usage.output_tokens)`.as("outputTokens"),
  sql<number | null>`sum(usage.cache_read_tokens)`.as("cacheReadTokens"),
  sql<number | null>`sum(usage.cache_write_tokens)`.as("cacheWriteTokens"),
  sql<number | null>`sum(usage.reasoning_tokens)`.as("reasoningTokens"),
  sql<number | null>`sum(usage.cost_micro_usd)`.as("costMicroUsd"),
  sql<number>`count(*)`.as("calls"),
  sql<number>`count(usage.cost_micro_usd)`.as("priced"),
] as const

type Tokens = Omit<UsageTotals, "costMicroUsd">

/** Returns the tokens of such sums: PostgreSQL gives them as texts, and both databases give null where there is no row. */
export const summedTokens = (sums: { readonly [Name in keyof Tokens]: number | null }): Tokens => ({
  inputTokens: Number(sums.inputTokens ?? 0),
  outputTokens: Number(sums.outputTokens ?? 0),
  cacheReadTokens: Number(sums.cacheReadTokens ?? 0),
  cacheWriteTokens: Number(sums.cacheWriteTokens ?? 0),
  reasoningTokens: Number(sums.reasoningTokens ?? 0),
})
