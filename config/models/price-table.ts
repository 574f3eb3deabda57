import type { Price } from "../../contracts/run/model-provider.ts"
import type { ProviderName } from "../../contracts/run/model-provider.ts"
import { publishedModels } from "./published-models.ts"

export interface KnownModel {
  readonly provider: Extract<ProviderName, "anthropic" | "openai">
  readonly price: Price
  /** Price of a million tokens that are written to the cache for an hour, where the provider has one. */
  readonly hourCacheWritePerMTok?: number
  /** Tokens of prompt and answer together, where the provider publishes them. */
  readonly contextTokens?: number
}

interface PublishedModel {
  readonly id: string
  /** Other ids of the model. */
  readonly names: readonly string[]
  readonly known: KnownModel
}

const numberIn = (text: string | undefined): number | undefined =>
  text === undefined || text === "-" ? undefined : Number(text)

const ratesIn = (texts: readonly string[]) => {
  const [input = 0, output = 0, cacheReadPerMTok, cacheWritePerMTok] = texts.map(numberIn)
  return {
    inputPerMTok: input,
    outputPerMTok: output,
    ...(cacheReadPerMTok === undefined ? {} : { cacheReadPerMTok }),
    ...(cacheWritePerMTok === undefined ? {} : { cacheWritePerMTok }),
  }
}

/** Reads a line of the table, whose form published-models.ts describes. */
const readModel = (line: string): PublishedModel => {
  const [id = "", provider, context, rates = "", long = "-", names = "-"] = line.split(" ")
  const [above = "", ...longRates] = long.split("/")
  const contextTokens = numberIn(context)
  const hourCacheWritePerMTok = numberIn(rates.split("/")[4])
  const known: KnownModel = {
    provider: provider === "anthropic" ? "anthropic" : "openai",
    price: {
      ...ratesIn(rates.split("/")),
      ...(long === "-" ? {} : { longPrompt: { aboveTokens: Number(above), ...ratesIn(longRates) } }),
    },
    ...(hourCacheWritePerMTok === undefined ? {} : { hourCacheWritePerMTok }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  }
  return { id, names: names === "-" ? [] : names.split(","), known }
}

/** Models that the package does not have yet, as their providers published them in November 2026. */
const addedModels = [
  "claude-sonnet-5-5 anthropic 1000000 2/10/0.1/2.5/4 - claude-sonnet-5.5",
  "claude-haiku-5-5 anthropic 1000000 0.1/0.5/0.01/0.125/0.2 100000/0.5/2.5/0.05/0.625/1 claude-haiku-5.5",
  "gpt-6.1-sol openai 1050000 2/10/0.1/2.5/- 272000/4/15/0.2/5/- -",
].map(readModel)

const published = publishedModels.map(readModel)
const rows = [...published, ...addedModels.filter(({ id }) => !published.some((model) => model.id === id))]

/** Contexts and list prices by the providers' ids. `prices` in the configuration takes precedence. */
export const priceTable: Readonly<Record<string, KnownModel>> = Object.fromEntries(
  rows.map(({ id, known }) => [id, known]),
)

// An id of a model is never another name of one that was published before it.
const idsByName: ReadonlyMap<string, string> = new Map([
  ...rows.flatMap(({ id, names }) => names.map((name) => [name, id] as const)),
  ...rows.map(({ id }) => [id, id] as const),
])

/** The date of a snapshot at the end of an id: `-20251001`, `@20251001` or `-2026-04-23`. */
const dateSuffix = /(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$/

/** Returns what is published about a model, also by another name or by the id of a dated snapshot; undefined if nothing is. */
export const knownModel = (id: string): KnownModel | undefined => {
  const known = idsByName.get(id) ?? idsByName.get(id.replace(dateSuffix, ""))
  return known === undefined ? undefined : priceTable[known]
}

/** The models that a run can change to without being configured, the newest first: a lighter model is the first one that fits. */
export const currentModels: readonly string[] = [
  "claude-opus-5-5",
  "claude-sonnet-5-5",
  "claude-haiku-5-5",
  "claude-fable-5-1",
  "claude-opus-5",
  "claude-sonnet-5",
  "claude-opus-4-8",
  "claude-haiku-4-5",
  "gpt-6.1-sol",
  "gpt-6-sol",
  "gpt-6-luna",
]
