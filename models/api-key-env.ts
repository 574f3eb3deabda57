import type { ModelSpec } from "../contracts/run-snapshot.ts"
import type { ProviderName } from "../contracts/model-provider.ts"

const defaults: Readonly<Record<ProviderName, string | undefined>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  "openai-compatible": undefined,
  scripted: undefined,
}

/** Name of the environment variable that holds a model's key; undefined where no key is expected. */
export const apiKeyEnvOf = (spec: Pick<ModelSpec, "provider" | "apiKeyEnv">): string | undefined =>
  spec.apiKeyEnv ?? defaults[spec.provider]
