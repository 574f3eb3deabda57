import { z } from "zod"
import { runChoices } from "./run-choices.ts"

export const providerSchema = z.enum([
  "anthropic",
  "openai",
  "openai-compatible",
  "azure-openai",
  "scripted",
  "cassette",
])

export type ProviderName = z.infer<typeof providerSchema>

export const thinkingSchema = z.enum(runChoices.thinking.values)

export type Thinking = z.infer<typeof thinkingSchema>

export const inputKindSchema = z.enum(["text", "image", "pdf"])

/** What a model can be given. */
export type InputKind = z.infer<typeof inputKindSchema>

const rate = z.number().nonnegative().max(1_000_000)
const rates = {
  inputPerMTok: rate.describe("Price of input tokens."),
  outputPerMTok: rate.describe("Price of output tokens."),
  cacheReadPerMTok: rate.optional().describe("Price of input tokens read from the cache. Without it: the input price."),
  cacheWritePerMTok: rate
    .optional()
    .describe("Price of input tokens written to the cache. Without it: the input price."),
}

/** Prices in US dollars per million tokens; a missing cache price counts as the input price. */
export const priceSchema = z.strictObject({
  ...rates,
  longPrompt: z
    .strictObject({
      aboveTokens: z
        .number()
        .int()
        .positive()
        .describe("Length of a prompt, cached parts included, above which these prices apply."),
      ...rates,
    })
    .optional()
    .describe("Prices of calls with long prompts."),
})
export type Price = z.infer<typeof priceSchema>
