import type { Price } from "../../contracts/run-snapshot.ts"
import type { ProviderName } from "../../contracts/model-provider.ts"

export interface KnownModel {
  readonly provider: Exclude<ProviderName, "openai-compatible" | "scripted" | "cassette">
  readonly price: Price
  /** Tokens of prompt and answer together, where the provider publishes them. */
  readonly contextTokens?: number
}

type Rates = readonly [input: number, output: number, cacheRead: number, cacheWrite: number]

const price = ([inputPerMTok, outputPerMTok, cacheReadPerMTok, cacheWritePerMTok]: Rates): Price => ({
  inputPerMTok,
  outputPerMTok,
  cacheReadPerMTok,
  cacheWritePerMTok,
})

const anthropic = (rates: Rates, contextTokens?: number): KnownModel => ({
  provider: "anthropic",
  price: price(rates),
  ...(contextTokens === undefined ? {} : { contextTokens }),
})
const openai = (rates: Rates, longRates: Rates): KnownModel => ({
  provider: "openai",
  contextTokens: 1_050_000,
  price: { ...price(rates), longPrompt: { aboveTokens: 272_000, ...price(longRates) } },
})

const million = 1_000_000

/** Contexts, and list prices in US dollars per million tokens, as the providers published them in November 2026. `prices` in the configuration takes precedence. */
export const priceTable: Readonly<Record<string, KnownModel>> = {
  "claude-opus-5-5": anthropic([4, 20, 0.2, 5], million),
  "claude-sonnet-5-5": anthropic([2, 10, 0.1, 2.5], million),
  "claude-haiku-5-5": {
    provider: "anthropic",
    contextTokens: million,
    price: {
      ...price([0.1, 0.5, 0.01, 0.125]),
      longPrompt: { aboveTokens: 100_000, ...price([0.5, 2.5, 0.05, 0.625]) },
    },
  },
  "claude-fable-5-1": anthropic([10, 50, 0.25, 12.5], million),
  "claude-opus-5": anthropic([5, 25, 0.5, 6.25], million),
  "claude-sonnet-5": anthropic([2, 10, 0.2, 2.5], million),
  "claude-opus-4-8": anthropic([5, 25, 0.5, 6.25]),
  "claude-haiku-4-5": anthropic([1, 5, 0.1, 1.25], 200_000),
  "gpt-6.1-sol": openai([2, 10, 0.1, 2.5], [4, 15, 0.2, 5]),
  "gpt-6-sol": openai([2, 10, 0.2, 2.5], [4, 15, 0.4, 5]),
  "gpt-6-luna": openai([0.1, 0.5, 0.01, 0.125], [0.2, 0.75, 0.02, 0.25]),
}

export const knownModel = (id: string): KnownModel | undefined =>
  Object.hasOwn(priceTable, id) ? priceTable[id] : undefined
