import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import type { LlmProfile } from "../../contracts/config/agent-profile.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import type { Thinking } from "../../contracts/model-provider.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { chooseModel, resolveModelName } from "../../domain/limits/model-choice.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import type { Environment } from "../../domain/environment.ts"

type Models = Readonly<Record<string, ModelSpec>>

const isSet = (env: Environment, name: string): boolean => (env[name] ?? "").trim() !== ""

/** The profile's own key where it is set, else the main one; undefined where the profile is isolated and has none. */
const withCredentials = (spec: ModelSpec, profile: LlmProfile, env: Environment): ModelSpec | undefined => {
  const own = profile.credentials?.[spec.provider]?.apiKeyEnv
  if (own !== undefined && (profile.isolated || isSet(env, own))) return { ...spec, apiKeyEnv: own }
  return profile.isolated && spec.apiKeyEnv !== undefined ? undefined : spec
}

export interface ModelRequest {
  readonly profileName: string
  readonly profile: LlmProfile
  /** Named by whoever starts the run. */
  readonly model?: string
  readonly thinking?: Thinking
}

export interface ResolvedModel {
  /** Name of the run's model in `models`. */
  readonly name: string
  readonly models: Models
}

const noModel = (name: string): AdjutantError =>
  new AdjutantError(
    "key_missing",
    `no model named ${name} is configured: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or LLM_MODEL_ID with LLM_BASE_URL, or describe it under models`,
  )

const keyMissing = (name: string, spec: ModelSpec, variable: string): AdjutantError =>
  new AdjutantError("key_missing", `model ${name} (${spec.provider} ${spec.model}) needs a key: set ${variable}`)

/** The spec that a name stands for, before keys are looked at: a configured name, a configured model's id, a known model's id. */
const findModel = (wanted: string, loaded: LoadedConfig): { name: string; spec: ModelSpec } | undefined => {
  for (const models of [loaded.models, loaded.knownModels]) {
    const name = resolveModelName(wanted, models)
    const spec = name === undefined ? undefined : models[name]
    if (name !== undefined && spec !== undefined) return { name, spec }
  }
  return undefined
}

const usableModels = (loaded: LoadedConfig, wish: ModelRequest, env: Environment): Models => {
  const thinking = wish.thinking ?? wish.profile.thinking
  const usable = (models: Models, isUsable: (spec: ModelSpec) => boolean): [string, ModelSpec][] =>
    Object.entries(models).flatMap(([name, plain]): [string, ModelSpec][] => {
      const spec = withCredentials(plain, wish.profile, env)
      if (spec === undefined || !isUsable(spec)) return []
      return [[name, thinking === undefined ? spec : { ...spec, thinking }]]
    })
  return Object.fromEntries([
    ...usable(loaded.knownModels, (spec) => spec.apiKeyEnv !== undefined && isSet(env, spec.apiKeyEnv)),
    ...usable(loaded.models, () => true),
  ])
}

const checkScript = async (name: string, script: string): Promise<void> => {
  const isReadableFile = await stat(script)
    .then(async (found) => {
      await access(script, constants.R_OK)
      return found.isFile()
    })
    .catch(() => false)
  if (!isReadableFile)
    throw new AdjutantError(
      "invalid_argument",
      `the script of model ${name} cannot be read: look at models.${name}.script (${script})`,
    )
}

/** Rejects with `model_not_found`, `key_missing`, or `invalid_argument` for a script that cannot be read. */
export const resolveModel = async (
  loaded: LoadedConfig,
  wish: ModelRequest,
  env: Environment,
): Promise<ResolvedModel> => {
  const wanted = chooseModel({ explicit: wish.model, profile: wish.profile.model, caller: "main" })
  const models = usableModels(loaded, wish, env)
  const found = findModel(wanted, loaded)
  if (found === undefined) {
    if (wanted === "main" || wanted === "light") throw noModel(wanted)
    const names = Object.keys(models)
    const origin = wish.model === undefined ? ` (agents.${wish.profileName}.model)` : ""
    throw new AdjutantError(
      "model_not_found",
      `there is no model ${wanted}${origin}${didYouMean(wanted, names)}; there is: ${names.join(", ") || "none"}`,
    )
  }
  const spec = Object.hasOwn(models, found.name) ? models[found.name] : undefined
  if (spec === undefined) {
    const variable = withCredentials(found.spec, wish.profile, env)?.apiKeyEnv
    throw keyMissing(
      found.name,
      found.spec,
      variable ??
        `agents.${wish.profileName}.credentials.${found.spec.provider}.apiKeyEnv, because the profile is isolated`,
    )
  }
  if (spec.apiKeyEnv !== undefined && !isSet(env, spec.apiKeyEnv)) throw keyMissing(found.name, spec, spec.apiKeyEnv)
  if (spec.provider === "scripted" && spec.script !== undefined) await checkScript(found.name, spec.script)
  return { name: found.name, models }
}
