import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Price } from "../../../../contracts/run-snapshot.ts"
import { costMicroUsd, isAffordable, worstCaseMicroUsd, worstCaseTokens } from "../../../../domain/limits/usage-cost.ts"
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
        fc.record({ prefixTokens: tokens, newBytes: tokens, maxOutputTokens: tokens }),
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

  const call = { prefixTokens: 100, newBytes: 50, maxOutputTokens: 10 }
  const given = { inputPerMTok: 1, outputPerMTok: 5 }

  it("is affordable up to the last millionth and the last token", () => {
    expect(isAffordable(call, given, { microUsd: 200, tokens: 160 })).toBe(true)
    expect(isAffordable(call, given, { microUsd: 199, tokens: null })).toBe(false)
    expect(isAffordable(call, given, { microUsd: null, tokens: 159 })).toBe(false)
  })

  it("never fits into an amount of money if its price is unknown", () => {
    expect(isAffordable(call, null, { microUsd: 1_000_000_000, tokens: null })).toBe(false)
    expect(isAffordable(call, null, { microUsd: null, tokens: null })).toBe(true)
  })
})
