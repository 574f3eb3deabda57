import type { Config } from "../../contracts/config/config.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { providerKeyOf } from "../../domain/limits/provider/provider-key.ts"
import { type ProviderLimits, tighterLimits } from "../../domain/limits/provider/provider-limits.ts"

/** Limits by what `providerKeyOf` returns. */
export type LimitsByKey = ReadonlyMap<string, ProviderLimits>

/** Returns the limits of the keys for which the configuration has some. Models with the same key and address share them. */
export const providerLimitsOf = ({
  config,
  models,
}: {
  readonly config: Pick<Config, "models">
  readonly models: Readonly<Record<string, ModelSpec>>
}): LimitsByKey => {
  const byKey = new Map<string, ProviderLimits>()
  for (const [name, model] of Object.entries(config.models)) {
    const limits = "limits" in model ? model.limits : undefined
    const spec = models[name]
    if (limits === undefined || spec === undefined) continue
    const key = providerKeyOf(spec)
    byKey.set(key, tighterLimits(byKey.get(key) ?? {}, limits))
  }
  return byKey
}
