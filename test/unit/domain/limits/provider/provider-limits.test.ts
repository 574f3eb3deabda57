import { describe, expect, it } from "vitest"
import { providerKeyOf } from "../../../../../domain/limits/provider/provider-key.ts"
import { afterRefusal, tighterLimits, useAt } from "../../../../../domain/limits/provider/provider-limits.ts"
import { expectedTokens, limitedTokens } from "../../../../../domain/limits/provider/provider-tokens.ts"

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 20, reasoningTokens: 0 }
const answer = (provider: "anthropic" | "openai", model: string) => ({
  role: "assistant" as const,
  provider,
  model,
  parts: [],
  usage,
  stop: "end_turn" as const,
})

describe("the limits of a key", () => {
  it("are the smallest of the models that share it", () => {
    expect(
      tighterLimits({ requestsPerMinute: 5, concurrent: 2 }, { requestsPerMinute: 9, tokensPerMinute: 7 }),
    ).toEqual({
      requestsPerMinute: 5,
      tokensPerMinute: 7,
      concurrent: 2,
    })
  })

  it("belong to the variable of the key and the address", () => {
    const spec = { provider: "openai" as const, apiKeyEnv: "OPENAI_API_KEY" }
    expect(providerKeyOf(spec)).toBe(providerKeyOf({ ...spec }))
    const others = [
      { ...spec, apiKeyEnv: "OTHER" },
      { ...spec, baseUrl: "http://x/v1" },
      { ...spec, provider: "anthropic" as const },
    ]
    for (const other of others) expect(providerKeyOf(other)).not.toBe(providerKeyOf(spec))
  })

  it("give back nothing when a clock goes back, and continue from there", () => {
    const limits = { requestsPerMinute: 60, tokensPerMinute: 60 }
    const use = { requests: 3, tokens: 9, atMs: 10_000, blockedUntilMs: 0 }
    const back = useAt(use, limits, 2_000)
    expect(back).toEqual({ ...use, atMs: 2_000 })
    expect(useAt(back, limits, 3_000)).toMatchObject({ requests: 2, tokens: 8 })
  })

  it("let a refusal last as long as it was to last when a clock goes back", () => {
    const use = { requests: 0, tokens: 0, atMs: 10_000, blockedUntilMs: 15_000 }
    expect(useAt(use, {}, 2_000).blockedUntilMs).toBe(7_000)
    expect(useAt(use, {}, 12_000).blockedUntilMs).toBe(15_000)
    expect(useAt({ ...use, blockedUntilMs: 0 }, {}, 2_000).blockedUntilMs).toBe(0)
  })
})

describe("a refusal of a provider", () => {
  const use = { requests: 0, tokens: 0, atMs: 0, blockedUntilMs: 20_000 }

  it("does not shorten a longer one that it gave before", () => {
    expect(afterRefusal(use, {}, 5_000).blockedUntilMs).toBe(20_000)
    expect(afterRefusal(use, {}, 30_000).blockedUntilMs).toBe(30_000)
  })
})

describe("the tokens that count towards a limit", () => {
  const call = { prefixTokens: 1_000, newTokens: 100, newBytes: 400, maxOutputTokens: 300 }

  it("leave out what Anthropic reads from its cache", () => {
    expect(limitedTokens({ provider: "anthropic" }, usage)).toBe(35)
    expect(limitedTokens({ provider: "openai" }, usage)).toBe(135)
  })

  it("are expected from the prompt, without the part that is probably cached", () => {
    const opus = { provider: "anthropic" as const, model: "opus" }
    expect(expectedTokens(opus, call, [answer("anthropic", "opus")])).toBe(400)
    expect(expectedTokens(opus, call, [answer("anthropic", "haiku")])).toBe(1_400)
    expect(expectedTokens({ provider: "openai", model: "gpt" }, call, [answer("openai", "gpt")])).toBe(1_400)
  })
})
