import type { AssistantMessage } from "../../contracts/message.ts"
import type { Price } from "../../contracts/run/model-provider.ts"
import { estimatedPrompt, type NextCall } from "./prompt/next-call.ts"

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

/** Shorter answers are of little use: a budget that does not cover one is used up. */
const leastAnswerTokens = 1_000

/** Returns how many tokens an answer can have within what is left. `prompt`: tokens of the prompt. */
const answerWithin = (prompt: number, price: Price | null, left: Remaining): number => {
  const byTokens = left.tokens === null ? Number.POSITIVE_INFINITY : left.tokens - prompt
  const { microUsd } = left
  if (microUsd === null) return byTokens
  if (price === null) return 0
  const byMoney = bandsUpTo(price, prompt).map((rates) => {
    const rest = microUsd - prompt * highestInputRate(rates)
    if (rates.outputPerMTok === 0) return rest < 0 ? 0 : Number.POSITIVE_INFINITY
    return Math.floor(rest / rates.outputPerMTok)
  })
  return Math.min(byTokens, ...byMoney)
}

/**
 * Returns the call with the longest answer that what is left covers; undefined if that would be too short. The prompt counts as it is estimated. An unknown
 * price never fits into a budget in US dollars.
 */
export const affordableCall = (call: NextCall, price: Price | null, left: Remaining): NextCall | undefined => {
  const answer = Math.min(call.maxOutputTokens, answerWithin(estimatedPrompt(call), price, left))
  return answer < Math.min(call.maxOutputTokens, leastAnswerTokens) ? undefined : { ...call, maxOutputTokens: answer }
}

/** Returns an amount for people: `$4.61`, or `12000 tokens`. Amounts below a cent keep their digits. */
export const amountText = (unit: "microUsd" | "tokens", amount: number): string => {
  if (unit === "tokens") return `${amount} tokens`
  const usd = amount / 1e6
  return `$${Number.isInteger(Number((usd * 100).toFixed(6))) ? usd.toFixed(2) : String(usd)}`
}

/** Returns why a budget does not cover a call, with what the call needs at least and what is left. */
export const unaffordableText = (call: NextCall, price: Price | null, left: Remaining): string => {
  const prompt = estimatedPrompt(call)
  const answer = Math.min(call.maxOutputTokens, leastAnswerTokens)
  const needs = {
    tokens: prompt + answer,
    microUsd:
      price === null
        ? null
        : Math.max(
            ...bandsUpTo(price, prompt).map((rates) =>
              wholeMicros(prompt * highestInputRate(rates) + answer * rates.outputPerMTok),
            ),
          ),
  }
  const lacking = (["microUsd", "tokens"] as const).flatMap((unit) => {
    const [need, rest] = [needs[unit], left[unit]]
    if (rest === null || (need !== null && need <= rest)) return []
    const shown = amountText(unit, Math.max(0, rest))
    return [
      need === null
        ? `${shown} are left, and its price is unknown`
        : `it needs about ${amountText(unit, need)}, and ${shown} ${unit === "tokens" ? "are" : "is"} left`,
    ]
  })
  return `the budget does not cover another model call (${lacking.join("; ")})`
}

/** Returns US dollars as integer millionths, rounded down. */
export const microUsdOf = (usd: number): number => Math.floor(Number((usd * 1_000_000).toFixed(3)))
