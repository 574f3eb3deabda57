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

/** The parts of a request that are tokens of the prompt. */
export interface Prompt {
  readonly systemPrompt: string
  readonly tools: readonly unknown[]
}

/** Returns the bytes of what comes before the messages. */
export const bytesBefore = ({ systemPrompt, tools }: Prompt): number => Buffer.byteLength(systemPrompt) + bytesOf(tools)

/**
 * Returns how large the next call can be: the provider's count up to the last answer is known, and each byte after it is at most one token. The counts
 * of the first `uncounted` messages are those of another prompt.
 */
export const nextCallOf = (
  { messages, uncounted = 0 }: { readonly messages: readonly Message[]; readonly uncounted?: number },
  prompt: Prompt,
  maxOutputTokens: number,
): NextCall => {
  const last = messages.findLastIndex((message, index) => index >= uncounted && promptTokens(message) > 0)
  const counted = last === -1 ? undefined : messages[last]
  const after = messages.slice(last + 1)
  return {
    prefixTokens: counted === undefined ? 0 : promptTokens(counted),
    newBytes: bytesOf(after) + (counted === undefined ? bytesBefore(prompt) : 0),
    maxOutputTokens,
  }
}
