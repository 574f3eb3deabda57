import { findProvider, type MatchLogic, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices"

const conversational = {
  anthropic: /^claude-(?!2$|v1$)/,
  openai:
    /^(gpt-[4-9]|o[1-9])(?!.*(audio|image|realtime|transcribe|tts|search|vision|32k|extended|research|preview|ft$))/,
} as const

/** Returns the ids that a pattern names. A beginning of ids is one, too: what follows is a date. */
const namesIn = (match: MatchLogic): readonly string[] => {
  if ("or" in match) return match.or.flatMap(namesIn)
  if ("equals" in match) return [match.equals]
  return "starts_with" in match ? [match.starts_with.replace(/-$/, "")] : []
}

const pricesNow = ({ prices }: ModelInfo): ModelPrice =>
  Array.isArray(prices)
    ? ((prices.findLast(({ constraint }) => constraint?.type === "start_date") ?? prices[0])?.prices ?? {})
    : prices

const rateNames = ["input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok"] as const

/** What a model has not is a hyphen. */
const none = "-"

const baseOf = (prices: ModelPrice, name: string): number | string => {
  const rate = prices[name]
  return typeof rate === "object" ? rate.base : (rate ?? none)
}

/** Returns from how many tokens on a long prompt costs more, and what. */
const longOf = (prices: ModelPrice): string => {
  const input = prices["input_mtok"]
  const tier = typeof input === "object" ? input.tiers[0] : undefined
  if (tier === undefined) return none
  const rates = rateNames.map((name) => {
    const rate = prices[name]
    return typeof rate === "object" ? (rate.tiers[0]?.price ?? rate.base) : (rate ?? none)
  })
  return [tier.start, ...rates].join("/")
}

/** Returns the models of a provider with which agents can talk, and whose price is known. */
const modelsOf = (provider: keyof typeof conversational): readonly string[] =>
  (findProvider({ providerId: provider })?.models ?? [])
    .filter(({ id }) => conversational[provider].test(id))
    .flatMap((model) => {
      const prices = pricesNow(model)
      const rates = rateNames.map((name) => baseOf(prices, name))
      if (rates[0] === none || rates[1] === none) return []
      const names = [...new Set(namesIn(model.match))].filter((name) => name !== model.id)
      const facts = [model.id, provider, model.context_window ?? none, rates.join("/"), longOf(prices)]
      return [[...facts, names.join(",") || none].join(" ")]
    })

/** Returns the lines of the built-in table. */
export const publishedModels = (): readonly string[] => [...modelsOf("anthropic"), ...modelsOf("openai")]
