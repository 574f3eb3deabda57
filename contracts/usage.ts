import { z } from "zod"

export const tokenCountSchema = z.number().int().nonnegative()

/** Tokens and money of one run or one session; `cost_usd` is null if a model's price is unknown. */
export const usageSchema = z.object({
  input_tokens: tokenCountSchema,
  output_tokens: tokenCountSchema,
  cache_read_tokens: tokenCountSchema,
  cache_write_tokens: tokenCountSchema,
  reasoning_tokens: tokenCountSchema,
  cost_usd: z.number().nonnegative().nullable(),
})
export type Usage = z.infer<typeof usageSchema>
