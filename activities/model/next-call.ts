import type { Message } from "../../contracts/message.ts"
import type { ProviderName } from "../../contracts/model-provider.ts"
import { mediaTokens } from "../../domain/media/media-tokens.ts"
import type { NextCall } from "../../domain/limits/usage-cost.ts"

const promptTokens = (message: Message): number =>
  message.role === "assistant"
    ? message.usage.inputTokens +
      message.usage.cacheReadTokens +
      message.usage.cacheWriteTokens +
      message.usage.outputTokens
    : 0

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** The parts of a request that are tokens of the prompt. */
export interface Prompt {
  readonly systemPrompt: string
  readonly tools: readonly unknown[]
}

/** Returns the bytes of what comes before the messages. */
export const bytesBefore = ({ systemPrompt, tools }: Prompt): number => Buffer.byteLength(systemPrompt) + bytesOf(tools)

/** The messages of a request. */
export interface CallMessages {
  readonly messages: readonly Message[]
  /** How many of them, at the beginning, an answer's token counts do not cover. */
  readonly uncounted?: number
  readonly provider: ProviderName
}

/**
 * Returns how large the next call can be: the provider's count up to the last answer is known, each byte of text after it is at most one token, and
 * images and PDF files have the tokens that the provider publishes.
 */
export const nextCallOf = (
  { messages, uncounted = 0, provider }: CallMessages,
  prompt: Prompt,
  maxOutputTokens: number,
): NextCall => {
  const last = messages.findLastIndex((message, index) => index >= uncounted && promptTokens(message) > 0)
  const counted = last === -1 ? undefined : messages[last]
  const after = messages.slice(last + 1)
  const tokens = mediaTokens(after, provider)
  return {
    prefixTokens: counted === undefined ? 0 : promptTokens(counted),
    newBytes: bytesOf(after) + (counted === undefined ? bytesBefore(prompt) : 0),
    ...(tokens === 0 ? {} : { mediaTokens: tokens }),
    maxOutputTokens,
  }
}
