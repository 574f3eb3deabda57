import type { LlmProfile } from "../../../contracts/config/agent-profile.ts"
import type { ModelSpec } from "../../../contracts/run-snapshot.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"

/** Returns whether an environment variable is set where the run's keys are read. */
export type HasVariable = (name: string) => boolean

export const hasVariableOf =
  (env: Readonly<Record<string, string | undefined>>): HasVariable =>
  (name) =>
    (env[name] ?? "").trim() !== ""

export const keyIsSet = ({ apiKeyEnv }: ModelSpec, hasVariable: HasVariable): boolean =>
  apiKeyEnv === undefined || hasVariable(apiKeyEnv)

/** Returns the model with the profile's own key if that is set, else with its configured key; undefined if an isolated profile has none. */
export const withCredentials = (
  spec: ModelSpec,
  profile: LlmProfile,
  hasVariable: HasVariable,
): ModelSpec | undefined => {
  const own = profile.credentials?.[spec.provider]?.apiKeyEnv
  if (own !== undefined && (profile.isolated || hasVariable(own))) {
    const { apiKeyCommand: _, ...rest } = spec
    return { ...rest, apiKeyEnv: own }
  }
  const hasMainKey = spec.apiKeyEnv !== undefined || spec.apiKeyCommand !== undefined
  return profile.isolated && hasMainKey ? undefined : spec
}

/** Returns the error for a missing key; `variable` is what must be set, in the environment or in the configuration. */
export const keyMissing = (name: string, spec: ModelSpec, variable: string): AdjutantError =>
  new AdjutantError("key_missing", `model ${name} (${spec.provider} ${spec.model}) requires a key: set ${variable}`)

export const isolatedKeyMissing = (name: string, spec: ModelSpec, agent: string): AdjutantError =>
  keyMissing(name, spec, `agents.${agent}.credentials.${spec.provider}.apiKeyEnv, because the profile is isolated`)
