import type { LoadedConfig } from "../config/loaded-config.ts"
import type { ModelSpec, RunSnapshot } from "../contracts/run-snapshot.ts"

/** The variables of a model and where their values go. */
const placeOfModel = ({ provider, baseUrl, azure, apiKeyEnv, headersEnv }: ModelSpec): string =>
  JSON.stringify([provider, baseUrl ?? null, azure ?? null, apiKeyEnv ?? null, headersEnv ?? null])

const needsValues = ({ apiKeyEnv, headersEnv }: ModelSpec): boolean =>
  apiKeyEnv !== undefined || headersEnv !== undefined

/** Whether a part of a run names no variables, or is the one of the configuration. */
const isHarmless = (part: unknown, configured: unknown): boolean => {
  const text = JSON.stringify(part ?? null)
  return !/"(?:env|envFrom|\w+Env)"/.test(text) || text === JSON.stringify(configured ?? null)
}

/** Returns whether a run sends the values of variables only to where a configuration sends those of the same names. */
export const hasSameAddresses = (
  { models, execution, mcpServers, hooks, webhooks }: RunSnapshot,
  { config, ...loaded }: Pick<LoadedConfig, "config" | "models" | "knownModels">,
): boolean => {
  const known = new Set([...Object.values(loaded.models), ...Object.values(loaded.knownModels)].map(placeOfModel))
  return (
    Object.values(models).every((spec) => !needsValues(spec) || known.has(placeOfModel(spec))) &&
    Object.entries(mcpServers).every(([name, server]) => isHarmless(server, config.mcpServers[name])) &&
    isHarmless(hooks, config.hooks) &&
    isHarmless(webhooks, config.webhooks) &&
    isHarmless(execution, null)
  )
}
