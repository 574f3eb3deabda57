import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isStrongerModel, resolveModelName } from "./model-choice.ts"

type ModelSettings = Pick<RunSnapshot, "model" | "models" | "modelTiers">

/** Returns the fallback models that a model of the run names, as far as the run has them and they are not in a higher tier than its own model. */
export const fallbackModels = (run: ModelSettings, name: string): readonly string[] => {
  const spec = Object.hasOwn(run.models, name) ? run.models[name] : undefined
  const names = (spec?.fallback ?? []).flatMap((wanted) => resolveModelName(wanted, run.models) ?? [])
  return [...new Set(names)].filter((other) => other !== name && !isStrongerModel(other, run.model, run))
}

/** Returns the fallback models of every model of the run that has some. */
export const fallbacksByModel = (run: ModelSettings): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.keys(run.models).flatMap((name) => {
      const names = fallbackModels(run, name)
      return names.length === 0 ? [] : [[name, names] as const]
    }),
  )

/** Removes the fallback models that are in a higher tier than the model of `base`: neither a child nor a later run gets more than `base` has. */
export const narrowFallbacks = (base: ModelSettings, models: RunSnapshot["models"]): RunSnapshot["models"] => {
  const run = { modelTiers: base.modelTiers, models: { ...base.models, ...models } }
  const isTooStrong = (name: string): boolean =>
    isStrongerModel(resolveModelName(name, run.models) ?? name, base.model, run)
  if (!Object.values(models).some(({ fallback = [] }) => fallback.some(isTooStrong))) return models
  return Object.fromEntries(
    Object.entries(models).map(([name, spec]) => [
      name,
      spec.fallback === undefined ? spec : { ...spec, fallback: spec.fallback.filter((other) => !isTooStrong(other)) },
    ]),
  )
}
