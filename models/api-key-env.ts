import type { ModelSpec } from "../contracts/run-snapshot.ts"
import type { ProviderName } from "../contracts/model-provider.ts"
import { ModelError } from "./model-error.ts"
import type { ModelRequest } from "./model-provider.ts"

const defaults: Readonly<Record<ProviderName, string | undefined>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  "openai-compatible": undefined,
  scripted: undefined,
}

/** Name of the environment variable that holds a model's key; undefined where no key is expected. */
export const apiKeyEnvOf = (spec: Pick<ModelSpec, "provider" | "apiKeyEnv">): string | undefined =>
  spec.apiKeyEnv ?? defaults[spec.provider]

/** The request's key. Throws a `ModelError` of kind auth that names the variable to set. */
export const requireApiKey = ({ spec, apiKey }: ModelRequest): string => {
  if (apiKey) return apiKey
  throw new ModelError(
    "auth",
    `No API key for ${spec.provider}: set ${apiKeyEnvOf(spec) ?? "the variable named in apiKeyEnv"} for the worker.`,
  )
}
