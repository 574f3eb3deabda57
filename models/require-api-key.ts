import { apiKeyEnvOf } from "./api-key-env.ts"
import { ModelError } from "./model-error.ts"
import type { ModelRequest } from "./model-provider.ts"

/** The request's key. Throws a `ModelError` of kind auth that names the variable to set. */
export const requireApiKey = ({ spec, apiKey }: ModelRequest): string => {
  if (apiKey) return apiKey
  throw new ModelError(
    "auth",
    `No API key for ${spec.provider}: set ${apiKeyEnvOf(spec) ?? "the variable named in apiKeyEnv"} for the worker.`,
  )
}
