import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { type ModelConfig, modelConfigSchema } from "../../contracts/config/config-models.ts"
import { envUrl, envValue } from "../environment.ts"
import { knownModel } from "./price-table.ts"
import type { Environment } from "../../domain/environment.ts"

type ConfiguredModels = Readonly<Record<string, ModelConfig>>

const ownModels = {
  anthropic: { main: "claude-opus-5-5", light: "claude-haiku-5-5", keyEnv: "ANTHROPIC_API_KEY" },
  openai: { main: "gpt-6.1-sol", light: "gpt-6-luna", keyEnv: "OPENAI_API_KEY" },
} as const

/** Returns the variable of a provider's key where nothing names another one; undefined for a provider without one. */
export const usualKeyEnv = (provider: PropertyKey): string | undefined =>
  provider === "anthropic" || provider === "openai"
    ? ownModels[provider].keyEnv
    : provider === "azure-openai"
      ? "AZURE_OPENAI_API_KEY"
      : undefined

const model = (input: unknown): ModelConfig => modelConfigSchema.parse(input)

/** Returns the model that `LLM_…` or `LIGHT_LLM_…` defines, with its own key and address if they are set. */
const fromVariables = (env: Environment, prefix: "" | "LIGHT_"): ModelConfig | undefined => {
  const id = envValue(env, `${prefix}LLM_MODEL_ID`)
  if (id === undefined) return undefined
  const hasOwnPlace =
    prefix === "" ||
    envValue(env, "LIGHT_LLM_BASE_URL") !== undefined ||
    envValue(env, "LIGHT_LLM_API_KEY") !== undefined
  const from = hasOwnPlace ? prefix : ""
  const baseUrl = envUrl(env, `${from}LLM_BASE_URL`)
  const keyEnv = `${from}LLM_API_KEY`
  const apiKeyEnv = envValue(env, keyEnv) === undefined ? undefined : keyEnv
  if (baseUrl !== undefined) return model({ provider: "openai-compatible", model: id, baseUrl, apiKeyEnv })
  const provider = knownModel(id)?.provider ?? (/^claude/i.test(id) ? "anthropic" : "openai")
  return model({ provider, model: id, apiKeyEnv })
}

/** Refuses to use another model where the address of a server is set without its model. @throws AdjutantError `invalid_config` */
const inPlaceOf = (
  env: Environment,
  prefix: "" | "LIGHT_",
  other: ModelConfig | undefined,
): ModelConfig | undefined => {
  const [address, id] = [`${prefix}LLM_BASE_URL`, `${prefix}LLM_MODEL_ID`]
  if (other !== undefined && envValue(env, address) !== undefined)
    throw new AdjutantError(
      "invalid_config",
      `${address} is set, but ${id} is not: set it to the id of a model of that server, or unset ${address}`,
    )
  return other
}

const fromProviderKeys = (env: Environment): ModelConfig | undefined => {
  for (const provider of ["anthropic", "openai"] as const)
    if (envValue(env, ownModels[provider].keyEnv) !== undefined)
      return model({ provider, model: ownModels[provider].main })
  return undefined
}

/** Returns the lighter model of the same provider, at the same address and with the same key. It has no fallback models: they would be those of `main`. */
const lighterThan = (configured: ModelConfig): ModelConfig => {
  const main = { ...configured, fallback: undefined }
  switch (main.provider) {
    case "anthropic":
    case "openai":
      return main.baseUrl === undefined ? { ...main, model: ownModels[main.provider].light, thinking: undefined } : main
    case "openai-compatible":
    case "azure-openai":
    case "scripted":
    case "cassette":
      return main
  }
}

/**
 * Returns the configured models, with `main` and `light` if the environment defines them. The configuration takes precedence over the
 * environment, and `LLM_…` over the keys of the providers. `main` is absent if nothing defines it.
 * @throws AdjutantError `invalid_config` for an address without a model
 */
export const withDefaultModels = (configured: ConfiguredModels, env: Environment): ConfiguredModels => {
  const main = configured["main"] ?? fromVariables(env, "") ?? inPlaceOf(env, "", fromProviderKeys(env))
  const light =
    configured["light"] ??
    fromVariables(env, "LIGHT_") ??
    inPlaceOf(env, "LIGHT_", main === undefined ? undefined : lighterThan(main))
  return {
    ...configured,
    ...(main === undefined ? {} : { main }),
    ...(light === undefined ? {} : { light }),
  }
}
