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
