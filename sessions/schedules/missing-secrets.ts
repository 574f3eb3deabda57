import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { Environment } from "../../domain/environment.ts"
import { secretEnvOf } from "../../domain/notify/destination.ts"

/** Returns the environment variables with the keys of a run's own model and of its messages that are not set here. */
export const missingSecrets = (
  { model, models, notify, webhooks }: Pick<RunSnapshot, "model" | "models" | "notify" | "webhooks">,
  env: Environment,
): readonly string[] => {
  const spec = Object.hasOwn(models, model) ? models[model] : undefined
  const key = spec?.apiKeyCommand === undefined ? spec?.apiKeyEnv : undefined
  const told = new Set(Object.values(notify?.on ?? {}).flat())
  const destinations = Object.entries(notify?.destinations ?? {}).flatMap(([name, destination]) =>
    told.has(name) ? [destination] : [],
  )
  const names = [
    key,
    ...Object.values(spec?.headersEnv ?? {}),
    ...destinations.map(secretEnvOf).filter((name) => name !== ""),
    ...webhooks.map(({ secretEnv }) => secretEnv),
  ]
  return [...new Set(names.filter((name) => name !== undefined))].filter((name) => (env[name]?.trim() ?? "") === "")
}
