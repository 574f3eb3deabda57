import type { AssistantMessage } from "../../contracts/message.ts"
import type { Price } from "../../contracts/run-snapshot.ts"

/**
 * Tokens of one model call, each counted once: `inputTokens` are those that no cache had a part in, and `reasoningTokens` are the part of
 * `outputTokens` that was thinking.
 */
export type TokenUsage = AssistantMessage["usage"]

const promptTokens = (usage: Pick<TokenUsage, "inputTokens" | "cacheReadTokens" | "cacheWriteTokens">): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens

const ratesFor = (price: Price, prompt: number): Omit<Price, "longPrompt"> =>
  price.longPrompt !== undefined && prompt > price.longPrompt.aboveTokens ? price.longPrompt : price

/** Rounded up to whole millionths, past what floating point adds of its own. */
const wholeMicros = (micros: number): number => Math.ceil(Number(micros.toFixed(6)))

/** Integer millionths of a US dollar (a price per million tokens is one in millionths per token); null where the price is unknown. */
export const costMicroUsd = (usage: TokenUsage, price: Price | null): number | null => {
  if (price === null) return null
  const rates = ratesFor(price, promptTokens(usage))
  return wholeMicros(
    usage.inputTokens * rates.inputPerMTok +
      usage.cacheReadTokens * (rates.cacheReadPerMTok ?? rates.inputPerMTok) +
      usage.cacheWriteTokens * (rates.cacheWritePerMTok ?? rates.inputPerMTok) +
      usage.outputTokens * rates.outputPerMTok,
  )
}

/** A model call that has not been made yet. */
export interface NextCall {
  /** Tokens that the provider counted for the part of the prompt that it has seen before. */
  readonly prefixTokens: number
  /** Bytes of UTF-8 that come after it. A token is at least one byte long. */
  readonly newBytes: number
  readonly maxOutputTokens: number
}

/** The most tokens that a call can use. */
export const worstCaseTokens = (call: NextCall): number => call.prefixTokens + call.newBytes + call.maxOutputTokens

const dearestInput = (rates: Omit<Price, "longPrompt">): number =>
  Math.max(rates.inputPerMTok, rates.cacheReadPerMTok ?? 0, rates.cacheWritePerMTok ?? 0)

/** Every band of prompt length that a prompt of at most so many tokens can fall into. */
const bandsUpTo = (price: Price, prompt: number): readonly Omit<Price, "longPrompt">[] =>
  price.longPrompt !== undefined && prompt > price.longPrompt.aboveTokens ? [price, price.longPrompt] : [price]

/** The most that a call can cost: nothing is read from a cache, and the answer is as long as it may be. */
export const worstCaseMicroUsd = (call: NextCall, price: Price | null): number | null => {
  if (price === null) return null
  const prompt = call.prefixTokens + call.newBytes
  return Math.max(
    ...bandsUpTo(price, prompt).map((rates) =>
      wholeMicros(prompt * dearestInput(rates) + call.maxOutputTokens * rates.outputPerMTok),
    ),
  )
}

/** What is left to spend; null where there is no limit. */
export interface Remaining {
  readonly microUsd: number | null
  readonly tokens: number | null
}

/** Whether a call's worst case fits into what is left. Money that cannot be counted never fits into a limit. */
export const isAffordable = (call: NextCall, price: Price | null, left: Remaining): boolean => {
  if (left.tokens !== null && worstCaseTokens(call) > left.tokens) return false
  if (left.microUsd === null) return true
  const cost = worstCaseMicroUsd(call, price)
  return cost !== null && cost <= left.microUsd
}
