import type { LlmProfile } from "../../../contracts/config/agent-profile.ts"
import type { ModelSpec } from "../../../contracts/run-snapshot.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"

/** Whether an environment variable has a value where the run's keys are read. */
export type HasVariable = (name: string) => boolean

export const hasVariableOf =
  (env: Readonly<Record<string, string | undefined>>): HasVariable =>
  (name) =>
    (env[name] ?? "").trim() !== ""

export const keyIsSet = ({ apiKeyEnv }: ModelSpec, hasVariable: HasVariable): boolean =>
  apiKeyEnv === undefined || hasVariable(apiKeyEnv)

/** The model with the profile's own key where that is set, else with the key that it has; undefined where an isolated profile has none. */
export const withCredentials = (
  spec: ModelSpec,
  profile: LlmProfile,
  hasVariable: HasVariable,
): ModelSpec | undefined => {
  const own = profile.credentials?.[spec.provider]?.apiKeyEnv
  if (own !== undefined && (profile.isolated || hasVariable(own))) return { ...spec, apiKeyEnv: own }
  return profile.isolated && spec.apiKeyEnv !== undefined ? undefined : spec
}

/** `variable`: what has to be set, in the environment or in the configuration. */
export const keyMissing = (name: string, spec: ModelSpec, variable: string): AdjutantError =>
  new AdjutantError("key_missing", `model ${name} (${spec.provider} ${spec.model}) needs a key: set ${variable}`)

export const isolatedKeyMissing = (name: string, spec: ModelSpec, agent: string): AdjutantError =>
  keyMissing(name, spec, `agents.${agent}.credentials.${spec.provider}.apiKeyEnv, because the profile is isolated`)
