import type { ModelSpec } from "../contracts/run-snapshot.ts"
import type { ProviderName } from "../contracts/run/model-provider.ts"
import { ModelError } from "./model-error.ts"
import type { ModelRequest } from "./model-provider.ts"

const defaults: Readonly<Record<ProviderName, string | undefined>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  "openai-compatible": undefined,
  "azure-openai": "AZURE_OPENAI_API_KEY",
  scripted: undefined,
  cassette: undefined,
}

/** Returns the name of the environment variable that contains a model's key; undefined if the model needs no key. */
export const apiKeyEnvOf = (spec: Pick<ModelSpec, "provider" | "apiKeyEnv">): string | undefined =>
  spec.apiKeyEnv ?? defaults[spec.provider]

/** Returns the key of a request. Throws a `ModelError` of kind `auth` that names the variable to set. */
export const requireApiKey = ({ spec, apiKey }: Pick<ModelRequest, "spec" | "apiKey">): string => {
  if (apiKey) return apiKey
  const missingKey = apiKeyEnvOf(spec)
  throw new ModelError(
    "auth",
    `no API key for ${spec.provider}: set ${missingKey ?? "the variable named in apiKeyEnv"} for the worker`,
    { missingKey },
  )
}
