import type { LlmProfile } from "../../../contracts/config/agent-profile.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { ModelSpec, ModelsByName } from "../../../contracts/run-snapshot.ts"
import { chooseModel, downgradeModel, resolveModelName } from "../../../domain/models/model-choice.ts"
import { didYouMean } from "../../../domain/text/suggest.ts"
import { type HasVariable, isolatedKeyMissing, keyIsSet, keyMissing, withCredentials } from "./resolve-keys.ts"
import type { SettingsOrigin } from "../settings-origin.ts"
import type { SettingsRequest } from "../settings-request.ts"

interface ResolvedModel {
  /** Name of the run's model in `models`. */
  readonly name: string
  readonly models: ModelsByName
}

const noModel = (name: string): AdjutantError =>
  new AdjutantError(
    "key_missing",
    `no model named ${name} is configured: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or LLM_MODEL_ID with LLM_BASE_URL, or add it to models`,
  )

/** Returns the model of a name, regardless of keys: a configured name, a configured model's id, or a known model's id. */
const findModel = (wanted: string, origin: SettingsOrigin): { name: string; spec: ModelSpec } | undefined => {
  for (const models of origin.namedModels) {
    const name = resolveModelName(wanted, models)
    const spec = name === undefined ? undefined : models[name]
    if (name !== undefined && spec !== undefined) return { name, spec }
  }
  const spec = origin.modelById?.(wanted)
  return spec === undefined ? undefined : { name: wanted, spec }
}

export interface ModelWish {
  readonly request: SettingsRequest
  readonly agent: string
  readonly profile: LlmProfile
  readonly origin: SettingsOrigin
  readonly hasVariable: HasVariable
}

const usableModels = (question: ModelWish): ModelsByName => {
  const { request, profile, origin, hasVariable } = question
  const forSubagents = request.subagent === undefined ? undefined : origin.shared.subagents.thinking
  const thinking = request.thinking ?? profile.thinking ?? forSubagents
  const usable = (models: ModelsByName, isUsable: (spec: ModelSpec) => boolean): [string, ModelSpec][] =>
    Object.entries(models).flatMap(([name, plain]): [string, ModelSpec][] => {
      const spec = withCredentials(plain, profile, hasVariable)
      if (spec === undefined || !isUsable(spec)) return []
      return [[name, thinking === undefined ? spec : { ...spec, thinking }]]
    })
  const { wanted } = wantedModel(question)
  const found = findModel(wanted, origin)
  const named = found === undefined || Object.hasOwn(origin.models, found.name) ? {} : { [found.name]: found.spec }
  const known = { ...origin.knownModels, ...named }
  return Object.fromEntries([
    ...usable(known, (spec) => spec.apiKeyEnv !== undefined && hasVariable(spec.apiKeyEnv)),
    ...usable(origin.models, () => true),
  ])
}

/** Returns `subagents.model` for a sub-agent; undefined if the parent run does not have that model, so that the child gets the parent's. */
const modelForSubagents = ({ request, origin }: ModelWish): string | undefined => {
  if (request.subagent === undefined) return undefined
  const { model } = origin.shared.subagents
  return model !== undefined && origin.isRun && findModel(model, origin) === undefined ? undefined : model
}

const wantedModel = (question: ModelWish) => {
  const { request, agent, profile, origin } = question
  const subagents = modelForSubagents(question)
  const candidates = { explicit: request.model, profile: profile.model, subagents, caller: origin.model }
  const setting = profile.model === undefined ? "subagents.model" : `agents.${agent}.model`
  const isSetting = request.model === undefined && (profile.model ?? subagents) !== undefined
  return { wanted: chooseModel(candidates), source: isSetting ? ` (${setting})` : "" }
}

/** Returns the name of the requested model. Throws if it is unknown or has no key. */
const requireModel = (question: ModelWish, models: ModelsByName): string => {
  const { agent, profile, origin, hasVariable } = question
  const { wanted, source } = wantedModel(question)
  const found = findModel(wanted, origin)
  if (found === undefined) {
    if (wanted === "main" || wanted === "light") throw noModel(wanted)
    const names = Object.keys(models)
    throw new AdjutantError(
      "model_not_found",
      `there is no model ${wanted}${source}${didYouMean(wanted, names)}; models: ${names.join(", ") || "none"}`,
    )
  }
  const spec = Object.hasOwn(models, found.name) ? models[found.name] : undefined
  if (spec === undefined) {
    const variable = withCredentials(found.spec, profile, hasVariable)?.apiKeyEnv
    if (variable === undefined) throw isolatedKeyMissing(found.name, found.spec, agent)
    throw keyMissing(found.name, found.spec, variable)
  }
  if (spec.apiKeyEnv !== undefined && !keyIsSet(spec, hasVariable)) throw keyMissing(found.name, spec, spec.apiKeyEnv)
  return found.name
}

/** Returns the lighter model if its key is set, else the given one. */
const lighterModel = (name: string, models: ModelsByName, hasVariable: HasVariable): string => {
  const lighter = downgradeModel(name, models)
  const spec = models[lighter]
  return spec !== undefined && keyIsSet(spec, hasVariable) ? lighter : name
}

/** Resolves a run's model, and all models that it may switch to. Throws `model_not_found` or `key_missing`. */
export const resolveModel = (question: ModelWish): ResolvedModel => {
  const { request, origin, hasVariable } = question
  const models = usableModels(question)
  const name = requireModel(question, models)
  const isDowngraded = request.subagent?.mayDowngrade === true && origin.shared.subagents.downgrade
  return { name: isDowngraded ? lighterModel(name, models, hasVariable) : name, models }
}
