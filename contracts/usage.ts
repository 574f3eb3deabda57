import { z } from "zod"

const tokens = z.number().int().nonnegative()

/** Tokens and money of one run or one session; `cost_usd` is null where a model's price is unknown. */
export const usageSchema = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  reasoning_tokens: tokens,
  cost_usd: z.number().nonnegative().nullable(),
})
export type Usage = z.infer<typeof usageSchema>
