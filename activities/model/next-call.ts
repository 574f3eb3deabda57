import type { Message } from "../../contracts/message.ts"
import type { NextCall } from "../../domain/limits/usage-cost.ts"

const promptTokens = (message: Message): number =>
  message.role === "assistant"
    ? message.usage.inputTokens +
      message.usage.cacheReadTokens +
      message.usage.cacheWriteTokens +
      message.usage.outputTokens
    : 0

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/**
 * Returns how large the next call can be: the provider's count up to the last answer is known, and each byte after it is at most one token.
 */
export const nextCallOf = (
  messages: readonly Message[],
  prompt: { readonly systemPrompt: string; readonly tools: readonly unknown[] },
  maxOutputTokens: number,
): NextCall => {
  const last = messages.findLastIndex((message) => promptTokens(message) > 0)
  const counted = last === -1 ? undefined : messages[last]
  const after = messages.slice(last + 1)
  return {
    prefixTokens: counted === undefined ? 0 : promptTokens(counted),
    newBytes:
      bytesOf(after) + (counted === undefined ? Buffer.byteLength(prompt.systemPrompt) + bytesOf(prompt.tools) : 0),
    maxOutputTokens,
  }
}
