import { describe, expect, it } from "vitest"
import { withHourCache, withRunCache } from "../../../../../domain/limits/provider/hour-cache.ts"
import { modelSpec } from "../../../../helpers/providers/model-request.ts"

const price = { inputPerMTok: 4, outputPerMTok: 20, cacheReadPerMTok: 0.4, cacheWritePerMTok: 5 }
const claude = modelSpec({ price })
const people = { pauseOnText: true }

describe("a run that waits for people", () => {
  it("keeps prompts for an hour at Anthropic, at the price of such writes", () => {
    const hour = { ...claude, cacheMinutes: 60, price: { ...price, cacheWritePerMTok: 8 } }
    expect(withRunCache(claude, people)).toEqual(hour)
    const named = { ...claude, baseUrl: "https://api.anthropic.com" }
    expect(withRunCache(named, people)).toMatchObject({ cacheMinutes: 60 })
  })

  it.each([
    ["a run that waits for nobody", claude, { pauseOnText: false }],
    ["a configured time", modelSpec({ price, cacheMinutes: 5 }), people],
    ["a time that is configured as an hour", withHourCache(claude), people],
    ["a gateway", modelSpec({ price, baseUrl: "https://gateway.example.com" }), people],
    [
      "an address that only looks like Anthropic's",
      modelSpec({ price, baseUrl: "https://anthropic.com.example.com" }),
      people,
    ],
    ["another provider", modelSpec({ provider: "openai", price }), people],
  ] as const)("changes nothing for %s", (_, spec, run) => {
    expect(withRunCache(spec, run)).toEqual(spec)
  })

  it("takes the list price of such writes, doubles the price of input otherwise, also of long prompts, and invents no price", () => {
    const long = { aboveTokens: 100, inputPerMTok: 8, outputPerMTok: 40 }
    const listed = withHourCache({ ...claude, hourCacheWritePerMTok: 7, price: { ...price, longPrompt: long } })
    expect(listed.price).toEqual({ ...price, cacheWritePerMTok: 7, longPrompt: { ...long, cacheWritePerMTok: 16 } })
    expect(withHourCache(modelSpec({ price: null })).price).toBeNull()
  })
})
