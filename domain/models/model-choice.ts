import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"

/** The sources of a run's model, in order of precedence. */
export interface ModelCandidates {
  readonly explicit?: string | undefined
  readonly profile?: string | undefined
  /** `subagents.model`; only for a child. */
  readonly subagents?: string | undefined
  /** The caller's own model, or `main` if a person starts the run. */
  readonly caller: string
}

export const chooseModel = (candidates: ModelCandidates): string =>
  candidates.explicit ?? candidates.profile ?? candidates.subagents ?? candidates.caller

type Models = Readonly<Record<string, Pick<ModelSpec, "provider" | "model">>>

const modelAt = (models: Models, name: string): Models[string] | undefined =>
  Object.hasOwn(models, name) ? models[name] : undefined

/** Returns the configured name for a name or a provider's model id; undefined if there is none. */
export const resolveModelName = (wanted: string, models: Models): string | undefined =>
  modelAt(models, wanted) === undefined
    ? Object.keys(models).find((name) => modelAt(models, name)?.model === wanted)
    : wanted

/** Returns the lighter model for children of the tasks family: `light` for `main`, haiku of the same provider for opus and sonnet. */
export const downgradeModel = (name: string, models: Models): string => {
  if (name === "main" && modelAt(models, "light") !== undefined) return "light"
  const spec = modelAt(models, name)
  if (spec === undefined || !/opus|sonnet/i.test(spec.model)) return name
  const haikus = Object.keys(models).filter((other) => {
    const candidate = modelAt(models, other)
    return candidate?.provider === spec.provider && /haiku/i.test(candidate.model)
  })
  return haikus.includes("light") ? "light" : (haikus[0] ?? name)
}

/** Returns the model of the Task tool's child. */
export const taskModel = (
  subagentType: "general" | "explore" | "summary" | "plan",
  wanted: "main" | "light" | undefined,
): "main" | "light" => wanted ?? (subagentType === "explore" || subagentType === "summary" ? "light" : "main")

/** Returns the tier of a model: 0 is the strongest, undefined if it is not ranked. `modelTiers` may contain the name or the model's id. */
export const modelTier = (
  name: string,
  run: { readonly models: Models; readonly modelTiers: RunSnapshot["modelTiers"] },
): number | undefined => {
  const id = modelAt(run.models, name)?.model
  const byName = run.modelTiers.findIndex((tier) => tier.includes(name))
  const tier = byName === -1 && id !== undefined ? run.modelTiers.findIndex((each) => each.includes(id)) : byName
  return tier === -1 ? undefined : tier
}

/** Returns true if both models are ranked and the requested one is in a higher tier. */
export const isStrongerModel = (
  wanted: string,
  than: string,
  run: { readonly models: Models; readonly modelTiers: RunSnapshot["modelTiers"] },
): boolean => {
  const wantedTier = modelTier(wanted, run)
  const limit = modelTier(than, run)
  return wantedTier !== undefined && limit !== undefined && wantedTier < limit
}
