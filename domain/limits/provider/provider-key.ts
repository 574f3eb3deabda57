import type { ModelSpec } from "../../../contracts/run-snapshot.ts"

/** Returns what a provider's limits apply to: a key at an address. Contains the name of the key's environment variable, never the key. */
export const providerKeyOf = (
  spec: Pick<ModelSpec, "provider" | "baseUrl" | "apiKeyEnv" | "apiKeyCommand" | "script">,
): string =>
  JSON.stringify([
    spec.provider,
    spec.baseUrl ?? null,
    spec.apiKeyEnv ?? null,
    spec.script ?? null,
    ...(spec.apiKeyCommand === undefined ? [] : [spec.apiKeyCommand.command, ...spec.apiKeyCommand.args]),
  ])
