import { resolve } from "node:path"
import type { Config } from "../../contracts/config/config.ts"
import { type ModelConfig, modelConfigSchema } from "../../contracts/config/config-models.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import type { Price } from "../../contracts/run/model-provider.ts"
import { withDefaultModels } from "./default-models.ts"
import { envUrl } from "../environment.ts"
import { gatewayModel } from "./gateway-model.ts"
import { currentModels, type KnownModel, knownModel } from "./price-table.ts"
import type { Environment } from "../../domain/environment.ts"
import { withHourCache } from "../../domain/limits/provider/hour-cache.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"

const free: Price = { inputPerMTok: 0, outputPerMTok: 0 }

interface Place {
  readonly config: Config
  readonly env: Environment
  /** Paths of scripts are relative to it. */
  readonly projectRoot: string
}

const ownPrice = (prices: Config["prices"], key: string): Price | undefined =>
  Object.hasOwn(prices, key) ? prices[key] : undefined

/** Returns the configured price (by model id or by the name of the model), or else the list price, or else null. */
const priceOf = (name: string, model: ModelConfig, prices: Config["prices"]): Price | null => {
  const configured = ownPrice(prices, model.model) ?? ownPrice(prices, name)
  if (configured !== undefined) return configured
  switch (model.provider) {
    case "scripted":
    case "cassette":
      return free
    case "openai-compatible":
    case "azure-openai":
    case "anthropic":
    case "openai":
      return publishedModel(model)?.price ?? null
  }
}

/** Returns what is published about a model; undefined if its id does not say which one it is. */
const publishedModel = (model: ModelConfig): KnownModel | undefined => {
  if (model.provider === "openai-compatible") return gatewayModel(model.model, model.baseUrl)
  const known = knownModel(model.model)
  const vendor = model.provider === "azure-openai" ? "openai" : model.provider
  return known?.provider === vendor ? known : undefined
}

/** Returns the configured context of a model, or else the published one; nothing if it is unknown. */
const contextOf = (model: ModelConfig): Pick<ModelSpec, "contextTokens"> => {
  const contextTokens = model.contextTokens ?? publishedModel(model)?.contextTokens
  return contextTokens === undefined ? {} : { contextTokens }
}

type RequestSettings = Pick<
  ModelSpec,
  "normalEnds" | "headers" | "headersEnv" | "extraBody" | "temperature" | "dialect"
>

/** Returns what the configuration says about a model's requests and answers. */
const requestSettings = (model: ModelConfig): RequestSettings => {
  if (model.provider === "scripted" || model.provider === "cassette") return {}
  const { normalEnds, headers, headersEnv, extraBody } = model
  return withoutUndefined({
    normalEnds,
    headers,
    headersEnv,
    extraBody,
    temperature: "temperature" in model ? model.temperature : undefined,
    dialect: "dialect" in model ? model.dialect : undefined,
  })
}

/** Returns how long a model's prompts stay in the provider's cache, with the list price of writes that last an hour. */
const cachedSpec = (
  { model, cacheMinutes }: Pick<Extract<ModelConfig, { provider: "anthropic" }>, "model" | "cacheMinutes">,
  { price, ...spec }: ModelSpec,
): ModelSpec => {
  const known = knownModel(model)
  const hourCacheWritePerMTok =
    price?.inputPerMTok === known?.price.inputPerMTok ? known?.hourCacheWritePerMTok : undefined
  const cached = { ...spec, price, ...withoutUndefined({ hourCacheWritePerMTok, cacheMinutes }) }
  return cacheMinutes === 60 ? withHourCache(cached) : cached
}

/** Returns where the key of a model comes from: its program, its variable, or else the usual one. */
const keySource = (
  { apiKeyEnv, apiKeyCommand }: Pick<Extract<ModelConfig, { provider: "openai" }>, "apiKeyEnv" | "apiKeyCommand">,
  usual: string | undefined,
  { projectRoot }: Pick<Place, "projectRoot">,
): Pick<ModelSpec, "apiKeyEnv" | "apiKeyCommand"> => {
  if (apiKeyCommand !== undefined) {
    const { command, cwd = "." } = apiKeyCommand
    const path = command.includes("/") ? resolve(projectRoot, command) : command
    return { apiKeyCommand: { ...apiKeyCommand, command: path, cwd: resolve(projectRoot, cwd) } }
  }
  const name = apiKeyEnv ?? usual
  return name === undefined ? {} : { apiKeyEnv: name }
}

const modelSpecOf = (name: string, model: ModelConfig, place: Place): ModelSpec => {
  const common = {
    provider: model.provider,
    model: model.model,
    ...(model.thinking === undefined ? {} : { thinking: model.thinking }),
    maxOutputTokens: model.maxOutputTokens,
    ...contextOf(model),
    ...("input" in model && model.input !== undefined ? { input: model.input } : {}),
    ...requestSettings(model),
    price: priceOf(name, model, place.config.prices),
    ...(model.fallback === undefined ? {} : { fallback: model.fallback }),
  }
  const withBase = (baseUrl: string | undefined) => (baseUrl === undefined ? {} : { baseUrl })
  switch (model.provider) {
    case "scripted":
      return { ...common, script: resolve(place.projectRoot, model.script) }
    case "cassette":
      return { ...common, cassette: { file: resolve(place.projectRoot, model.file), mode: model.mode } }
    case "openai-compatible":
      return cachedSpec(model, {
        ...common,
        ...keySource(model, undefined, place),
        ...withBase(model.baseUrl),
      })
    case "azure-openai": {
      const { deployment = model.model, apiVersion, apiKeyCommand } = model
      const { auth = apiKeyCommand === undefined ? "key" : "token" } = model
      return cachedSpec(model, {
        ...common,
        ...keySource(model, "AZURE_OPENAI_API_KEY", place),
        ...withBase(model.baseUrl ?? envUrl(place.env, "AZURE_OPENAI_ENDPOINT")),
        azure: { deployment, apiVersion, auth },
      })
    }
    case "anthropic":
      return cachedSpec(model, {
        ...common,
        ...keySource(model, "ANTHROPIC_API_KEY", place),
        ...withBase(model.baseUrl ?? envUrl(place.env, "ANTHROPIC_BASE_URL")),
      })
    case "openai":
      return {
        ...common,
        ...keySource(model, "OPENAI_API_KEY", place),
        ...withBase(model.baseUrl ?? envUrl(place.env, "OPENAI_BASE_URL")),
      }
  }
}

export interface ModelSpecs {
  /** By configured name. */
  readonly models: Readonly<Record<string, ModelSpec>>
  /** By the provider's model id: the current models, and those that the configuration names. */
  readonly knownModels: Readonly<Record<string, ModelSpec>>
  /** Returns any model whose price is built in, also by the id of a dated snapshot; undefined if it is not known. */
  readonly modelById: (id: string) => ModelSpec | undefined
}

/** Returns the models that the configuration names where a model is expected. */
const namedIn = ({ models, agents, subagents, compaction }: Config): readonly string[] =>
  [
    ...Object.values(models).flatMap(({ fallback = [] }) => fallback),
    ...Object.values(agents).map((profile) =>
      profile.type === "llm" ? (profile.model ?? profile.subagents?.model) : undefined,
    ),
    subagents.model,
    compaction.model,
  ].filter((name) => name !== undefined)

export const modelSpecs = (place: Place): ModelSpecs => {
  const models = Object.fromEntries(
    Object.entries(withDefaultModels(place.config.models, place.env)).map(([name, model]) => [
      name,
      modelSpecOf(name, model, place),
    ]),
  )
  const modelById = (id: string): ModelSpec | undefined => {
    const known = knownModel(id)
    return known && modelSpecOf(id, modelConfigSchema.parse({ provider: known.provider, model: id }), place)
  }
  const known = [...new Set([...currentModels, ...namedIn(place.config)])].flatMap((id) => {
    const spec = Object.hasOwn(models, id) ? undefined : modelById(id)
    return spec === undefined ? [] : [[id, spec] as const]
  })
  return { models, knownModels: Object.fromEntries(known), modelById }
}
