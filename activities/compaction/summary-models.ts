import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { allowedModel } from "../../domain/models/allowed-model.ts"
import { resolveModelName } from "../../domain/models/model-choice.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** A model with its name in the run's settings. */
export interface NamedSpec {
  readonly name: string
  readonly spec: ModelSpec
}

/**
 * Returns the models that may write the run's summaries, the first choice first: `compaction.model` or `light`, and the model that the conversation is
 * with. A model in a higher tier, without its key, or without a price where one is needed is left out.
 */
export const summaryModels = (
  { apiKeyEnvOf, env }: Pick<AgentDependencies, "apiKeyEnvOf" | "env">,
  snapshot: RunSnapshot,
  { own, needsPrice }: { readonly own: NamedSpec; readonly needsPrice: boolean },
): readonly NamedSpec[] => {
  const name = resolveModelName(snapshot.compaction.model ?? "light", snapshot.models)
  const spec = name === undefined ? undefined : snapshot.models[name]
  if (name === undefined || spec === undefined || name === own.name) return [own]
  const key = apiKeyEnvOf(spec)
  const hasKey = key === undefined || (env[key] ?? "") !== ""
  const isUsable = allowedModel(snapshot, name) === name && hasKey && !(needsPrice && spec.price === null)
  return isUsable ? [{ name, spec }, own] : [own]
}
