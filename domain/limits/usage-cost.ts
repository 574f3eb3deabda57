import type { AssistantMessage } from "../../contracts/message.ts"
import type { Price } from "../../contracts/run-snapshot.ts"

/**
 * Tokens of one model call, each counted once: `inputTokens` excludes tokens read from or written to a cache, and `reasoningTokens` are the part of
 * `outputTokens` that is thinking.
 */
export type TokenUsage = AssistantMessage["usage"]

const promptTokens = (usage: Pick<TokenUsage, "inputTokens" | "cacheReadTokens" | "cacheWriteTokens">): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens

const ratesFor = (price: Price, prompt: number): Omit<Price, "longPrompt"> =>
  price.longPrompt !== undefined && prompt > price.longPrompt.aboveTokens ? price.longPrompt : price

/** Rounds up to whole millionths, ignoring floating-point errors. */
const wholeMicros = (micros: number): number => Math.ceil(Number(micros.toFixed(6)))

/** Returns the cost in millionths of a US dollar (a price per million tokens is one in millionths per token); null if the price is unknown. */
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
  /** Tokens that the provider counted for the part of the prompt that was sent before. */
  readonly prefixTokens: number
  /** Bytes of UTF-8 after that part. A token is at least one byte long. */
  readonly newBytes: number
  /** Tokens of images and PDF files after that part; absent if there are none. */
  readonly mediaTokens?: number
  readonly maxOutputTokens: number
}

const worstCasePrompt = ({ prefixTokens, newBytes, mediaTokens = 0 }: NextCall): number =>
  prefixTokens + newBytes + mediaTokens

/** Returns the most tokens that a call can use. */
export const worstCaseTokens = (call: NextCall): number => worstCasePrompt(call) + call.maxOutputTokens

const highestInputRate = (rates: Omit<Price, "longPrompt">): number =>
  Math.max(rates.inputPerMTok, rates.cacheReadPerMTok ?? 0, rates.cacheWritePerMTok ?? 0)

/** Returns every price band that applies to a prompt of at most the given number of tokens. */
const bandsUpTo = (price: Price, prompt: number): readonly Omit<Price, "longPrompt">[] =>
  price.longPrompt !== undefined && prompt > price.longPrompt.aboveTokens ? [price, price.longPrompt] : [price]

/** Returns the most that a call can cost, without cache reads and with the longest answer; null if the price is unknown. */
export const worstCaseMicroUsd = (call: NextCall, price: Price | null): number | null => {
  if (price === null) return null
  const prompt = worstCasePrompt(call)
  return Math.max(
    ...bandsUpTo(price, prompt).map((rates) =>
      wholeMicros(prompt * highestInputRate(rates) + call.maxOutputTokens * rates.outputPerMTok),
    ),
  )
}

/** What is left to spend; null if there is no limit. */
export interface Remaining {
  readonly microUsd: number | null
  readonly tokens: number | null
}

/** Returns whether a call's worst case fits into what is left. An unknown price never fits into a budget in US dollars. */
export const isAffordable = (call: NextCall, price: Price | null, left: Remaining): boolean => {
  if (left.tokens !== null && worstCaseTokens(call) > left.tokens) return false
  if (left.microUsd === null) return true
  const cost = worstCaseMicroUsd(call, price)
  return cost !== null && cost <= left.microUsd
}
