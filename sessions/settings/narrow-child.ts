import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { narrowLimits } from "../../domain/limits/narrow-limits.ts"
import { findProfile } from "../../domain/prompts/builtin-profiles.ts"
import { isolatedKeyMissing } from "./fields/resolve-keys.ts"

const isIsolated = ({ agent, agents }: RunSnapshot): boolean => {
  const profile = findProfile(agent, agents)
  return profile?.type === "llm" && profile.isolated
}

/** The parent's model as the child may call it: with the child's own key and thinking level. */
const asOwnModel = (name: string, spec: ModelSpec, wanted: RunSnapshot): ModelSpec => {
  const own = Object.hasOwn(wanted.models, name) ? wanted.models[name] : undefined
  if (own?.model === spec.model && own.provider === spec.provider) return own
  if (spec.apiKeyEnv !== undefined && isIsolated(wanted)) throw isolatedKeyMissing(name, spec, wanted.agent)
  return spec
}

/**
 * Cuts a child's settings down to what its parent allows. A model that stands above the parent's is replaced by the parent's model, never by its key
 * where the child has its own.
 * @throws AdjutantError `key_missing` where an isolated profile has no key for the parent's model
 */
export const narrowChild = (parent: RunSnapshot, wanted: RunSnapshot): RunSnapshot => {
  const { snapshot } = narrowLimits(parent, wanted)
  const { model, models } = snapshot
  const spec = models[model]
  if (model === wanted.model || spec === undefined) return snapshot
  return { ...snapshot, models: { ...models, [model]: asOwnModel(model, spec, wanted) } }
}
