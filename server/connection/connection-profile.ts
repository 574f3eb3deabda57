import { loadClientConnectConfig } from "@temporalio/envconfig"
import type { ConnectionOptions } from "@temporalio/client"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** How to reach a Temporal server that the user named. */
export interface ConnectionProfile {
  readonly address: string
  readonly namespace: string
  /** TLS, API key and metadata: secrets, never to be shown. */
  readonly connectionOptions: Pick<ConnectionOptions, "address" | "apiKey" | "tls" | "metadata">
}

/**
 * The server that `TEMPORAL_ADDRESS` or a Temporal profile file names; undefined where none is named. Throws AdjutantError
 * `invalid_config` where the settings cannot be used.
 */
export const loadConnectionProfile = (env: NodeJS.ProcessEnv): ConnectionProfile | undefined => {
  const loaded = loadProfile(env)
  const { address, apiKey, tls, metadata } = loaded.connectionOptions
  if (address !== undefined && address !== "") {
    if (!/^[^\s/@]+$/.test(address)) {
      throw new AdjutantError("invalid_config", "TEMPORAL_ADDRESS must be host:port, without a scheme or credentials.")
    }
    return {
      address,
      namespace: loaded.namespace ?? "default",
      connectionOptions: { address, apiKey, tls, metadata },
    }
  }
  if (apiKey !== undefined || tls !== undefined) {
    throw new AdjutantError(
      "invalid_config",
      "A Temporal API key or TLS is set but no address: set TEMPORAL_ADDRESS, or unset TEMPORAL_API_KEY and TEMPORAL_TLS*.",
    )
  }
  return undefined
}

const loadProfile = (env: NodeJS.ProcessEnv): ReturnType<typeof loadClientConnectConfig> => {
  try {
    const defined = Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    return loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(defined) })
  } catch (error) {
    // Only the first line: the others quote the file, which may hold a key. No cause, for the same reason.
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "unknown"
    throw new AdjutantError(
      "invalid_config",
      `The Temporal settings cannot be read (${reason}): check TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and TEMPORAL_TLS_*.`,
    )
  }
}
