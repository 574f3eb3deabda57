import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Price } from "../../../../contracts/run/model-provider.ts"
import { estimatedPrompt } from "../../../../domain/limits/prompt/next-call.ts"
import {
  costMicroUsd,
  type Remaining,
  affordableCall,
  unaffordableText,
  worstCaseMicroUsd,
  worstCaseTokens,
} from "../../../../domain/limits/usage-cost.ts"
import { countedTokens } from "../../../../domain/limits/usage-totals.ts"

const tokens = fc.nat({ max: 2_000_000 })
const rate = fc.double({ min: 0, max: 100, noNaN: true })
const rates = { inputPerMTok: rate, outputPerMTok: rate }
const cacheRates = {
  cacheReadPerMTok: fc.option(rate, { nil: undefined }),
  cacheWritePerMTok: fc.option(rate, { nil: undefined }),
}
const price: fc.Arbitrary<Price> = fc.record({
  ...rates,
  ...cacheRates,
  longPrompt: fc.option(fc.record({ aboveTokens: fc.integer({ min: 1, max: 300_000 }), ...rates, ...cacheRates }), {
    nil: undefined,
  }),
})
const usage = fc.record({
  inputTokens: tokens,
  outputTokens: tokens,
  cacheReadTokens: tokens,
  cacheWriteTokens: tokens,
  reasoningTokens: tokens,
})
const spent = {
  inputTokens: 1_000,
  outputTokens: 100,
  cacheReadTokens: 10_000,
  cacheWriteTokens: 500,
  reasoningTokens: 40,
}

describe("the cost of a call", () => {
  it("counts each kind of token at its own rate, and reasoning as output", () => {
    const given = { inputPerMTok: 4, outputPerMTok: 20, cacheReadPerMTok: 0.2, cacheWritePerMTok: 5 }
    expect(costMicroUsd(spent, given)).toBe(4_000 + 2_000 + 2_000 + 2_500)
  })

  it("counts cached tokens as input if they have no price", () => {
    expect(costMicroUsd(spent, { inputPerMTok: 1, outputPerMTok: 0 })).toBe(11_500)
  })

  it("applies the long-prompt rates to the whole call if the prompt is longer", () => {
    const given = {
      inputPerMTok: 1,
      outputPerMTok: 1,
      longPrompt: { aboveTokens: 11_499, inputPerMTok: 2, outputPerMTok: 2 },
    }
    expect(costMicroUsd(spent, given)).toBe(23_200)
    expect(costMicroUsd(spent, { ...given, longPrompt: { ...given.longPrompt, aboveTokens: 11_500 } })).toBe(11_600)
  })

  it("is unknown, not zero, without a price", () => {
    expect(costMicroUsd(spent, null)).toBeNull()
    expect(costMicroUsd(spent, { inputPerMTok: 0, outputPerMTok: 0 })).toBe(0)
  })

  it("is a whole number, never negative, and never below the true cost", () => {
    fc.assert(
      fc.property(usage, price, (used, given) => {
        const cost = costMicroUsd(used, { ...given, longPrompt: undefined }) ?? -1
        expect(Number.isInteger(cost)).toBe(true)
        const exact =
          used.inputTokens * given.inputPerMTok +
          used.outputTokens * given.outputPerMTok +
          used.cacheReadTokens * (given.cacheReadPerMTok ?? given.inputPerMTok) +
          used.cacheWriteTokens * (given.cacheWritePerMTok ?? given.inputPerMTok)
        expect(cost).toBeGreaterThanOrEqual(Math.max(0, exact - 1e-3))
        expect(cost).toBeLessThan(exact + 1.001)
      }),
    )
  })
})

describe("the worst case of a call", () => {
  it("covers the actual cost of the call", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        fc.record({ prefixTokens: tokens, newTokens: tokens, newBytes: tokens, maxOutputTokens: tokens }),
        fc.tuple(share, share, share, share),
        price,
        (call, [length, read, written, answer], given) => {
          const prompt = Math.floor((call.prefixTokens + call.newBytes) * length)
          const cacheReadTokens = Math.floor(prompt * read)
          const cacheWriteTokens = Math.floor((prompt - cacheReadTokens) * written)
          const used = {
            inputTokens: prompt - cacheReadTokens - cacheWriteTokens,
            cacheReadTokens,
            cacheWriteTokens,
            outputTokens: Math.floor(call.maxOutputTokens * answer),
            reasoningTokens: 0,
          }
          expect(worstCaseMicroUsd(call, given)).toBeGreaterThanOrEqual((costMicroUsd(used, given) ?? 0) - 1)
          expect(worstCaseTokens(call)).toBeGreaterThanOrEqual(countedTokens(used))
        },
      ),
    )
  })
})

describe("a budget", () => {
  const call = { prefixTokens: 100, newTokens: 50, newBytes: 500, maxOutputTokens: 4_000 }
  const given = { inputPerMTok: 1, outputPerMTok: 5 }
  const answerWith = (left: Remaining, ofModel: Price | null = given) =>
    affordableCall(call, ofModel, left)?.maxOutputTokens

  it("covers a call with an answer as long as what is left allows, up to the last millionth and the last token", () => {
    expect(answerWith({ microUsd: null, tokens: null })).toBe(4_000)
    expect(answerWith({ microUsd: 160 + 20_000, tokens: 160 + 4_000 })).toBe(4_000)
    expect(answerWith({ microUsd: 160 + 19_999, tokens: null })).toBe(3_999)
    expect(answerWith({ microUsd: null, tokens: 160 + 3_999 })).toBe(3_999)
    expect(answerWith({ microUsd: 160 + 5_000, tokens: 160 + 2_000 })).toBe(1_000)
  })

  it("does not cover a call whose answer would be too short, unless the model's own are", () => {
    expect(answerWith({ microUsd: 160 + 4_999, tokens: null })).toBeUndefined()
    expect(answerWith({ microUsd: null, tokens: 160 + 999 })).toBeUndefined()
    const short = { ...call, maxOutputTokens: 10 }
    expect(affordableCall(short, given, { microUsd: 210, tokens: 170 })).toEqual(short)
    expect(affordableCall(short, given, { microUsd: 209, tokens: null })).toBeUndefined()
  })

  it("in money never covers a call whose price is unknown", () => {
    expect(answerWith({ microUsd: 1_000_000_000, tokens: null }, null)).toBeUndefined()
    expect(answerWith({ microUsd: null, tokens: null }, null)).toBe(4_000)
  })

  it("counts the price of the longest prompt, and what costs nothing", () => {
    const long = { ...given, longPrompt: { aboveTokens: 159, inputPerMTok: 2, outputPerMTok: 10 } }
    expect(answerWith({ microUsd: 320 + 20_000, tokens: null }, long)).toBe(2_000)
    expect(answerWith({ microUsd: 0, tokens: null }, { inputPerMTok: 0, outputPerMTok: 0 })).toBe(4_000)
  })

  it("that is too small says what is needed and what is left", () => {
    expect(unaffordableText(call, given, { microUsd: 3_000, tokens: 500 })).toBe(
      "the budget does not cover another model call (it needs about $0.00516, and $0.003 is left; it needs about 1160 tokens, and 500 tokens are left)",
    )
    expect(unaffordableText(call, null, { microUsd: 0, tokens: null })).toContain("its price is unknown")
  })

  it("covers a call exactly if the call fits into it", () => {
    const amount = fc.nat(1_000_000)
    fc.assert(
      fc.property(amount, amount, fc.nat(50), fc.nat(50), (microUsd, left, inputPerMTok, outputPerMTok) => {
        const covered = affordableCall(call, { inputPerMTok, outputPerMTok }, { microUsd, tokens: left })
        const prompt = estimatedPrompt(call)
        const costs = (output: number) => prompt * inputPerMTok + output * outputPerMTok
        if (covered === undefined) return costs(1_000) > microUsd || prompt + 1_000 > left
        const output = covered.maxOutputTokens
        return costs(output) <= microUsd && prompt + output <= left
      }),
    )
  })
})
