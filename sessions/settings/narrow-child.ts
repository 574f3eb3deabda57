import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { narrowLimits } from "../../domain/limits/narrow-limits.ts"
import { findProfile } from "../../domain/profiles/builtin-profiles.ts"
import { isolatedKeyMissing } from "./fields/resolve-keys.ts"

const isIsolated = ({ agent, agents }: RunSnapshot): boolean => {
  const profile = findProfile(agent, agents)
  return profile?.type === "llm" && profile.isolated
}

/** Returns the parent's model with the child's own key and thinking level. */
const asOwnModel = (name: string, spec: ModelSpec, wanted: RunSnapshot): ModelSpec => {
  const own = Object.hasOwn(wanted.models, name) ? wanted.models[name] : undefined
  if (own?.model === spec.model && own.provider === spec.provider) return own
  if (spec.apiKeyEnv !== undefined && isIsolated(wanted)) throw isolatedKeyMissing(name, spec, wanted.agent)
  return spec
}

/**
 * Narrows a child's settings to what its parent allows. A model in a higher tier than the parent's is replaced by the parent's model, called with the
 * child's own key if it has one.
 * @throws AdjutantError `key_missing` if an isolated profile has no key for the parent's model
 */
export const narrowChild = (parent: RunSnapshot, wanted: RunSnapshot): RunSnapshot => {
  const { snapshot } = narrowLimits(parent, wanted)
  const { model, models } = snapshot
  const spec = models[model]
  if (model === wanted.model || spec === undefined) return snapshot
  return { ...snapshot, models: { ...models, [model]: asOwnModel(model, spec, wanted) } }
}
