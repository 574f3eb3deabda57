import { loadClientConnectConfig } from "@temporalio/envconfig"
import type { ConnectionOptions } from "@temporalio/client"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** How to reach a Temporal server that the user configured. */
export interface ConnectionProfile {
  readonly address: string
  readonly namespace: string
  /** The address of its UI (`TEMPORAL_UI_URL`, or that of Temporal Cloud); undefined if it is not known. */
  readonly uiUrl?: string | undefined
  /** TLS, API key and metadata. They contain secrets and must never be shown. */
  readonly connectionOptions: Pick<ConnectionOptions, "address" | "apiKey" | "tls" | "metadata">
}

/**
 * Returns the server that `TEMPORAL_ADDRESS` or a Temporal profile file names; undefined if neither does. Throws AdjutantError
 * `invalid_config` if the settings cannot be used.
 */
export const loadConnectionProfile = (env: NodeJS.ProcessEnv): ConnectionProfile | undefined => {
  const loaded = loadProfile(env)
  const { address, apiKey, tls, metadata } = loaded.connectionOptions
  if (address !== undefined && address !== "") {
    if (!/^[^\s/@]+$/.test(address)) {
      throw new AdjutantError("invalid_config", "TEMPORAL_ADDRESS must be host:port, without a scheme or credentials")
    }
    const namespace = loaded.namespace ?? "default"
    return {
      address,
      namespace,
      uiUrl: readUiUrl(env) ?? cloudUiUrl(address, namespace),
      connectionOptions: { address, apiKey, tls, metadata },
    }
  }
  if (apiKey !== undefined || tls !== undefined) {
    throw new AdjutantError(
      "invalid_config",
      "a Temporal API key or TLS is set, but no address: set TEMPORAL_ADDRESS, or unset TEMPORAL_API_KEY and TEMPORAL_TLS*",
    )
  }
  return undefined
}

const cloudUiUrl = (address: string, namespace: string): string | undefined =>
  /\.(tmprl\.cloud|temporal\.io):\d+$/.test(address) ? `https://cloud.temporal.io/namespaces/${namespace}` : undefined

const readUiUrl = (env: NodeJS.ProcessEnv): string | undefined => {
  const url = env["TEMPORAL_UI_URL"]?.trim() ?? ""
  if (url === "") return undefined
  const { protocol, username, password } = URL.canParse(url)
    ? new URL(url)
    : { protocol: "", username: "", password: "" }
  if (!/^https?:$/.test(protocol) || username !== "" || password !== "")
    throw new AdjutantError("invalid_config", "TEMPORAL_UI_URL must be an http or https URL without credentials")
  return url
}

const loadProfile = (env: NodeJS.ProcessEnv): ReturnType<typeof loadClientConnectConfig> => {
  try {
    const defined = Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    return loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(defined) })
  } catch (error) {
    // Only the first line, since the others quote the file, which may contain a key. For the same reason there is no cause.
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "unknown"
    throw new AdjutantError(
      "invalid_config",
      `the Temporal settings cannot be read (${reason}): check TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and TEMPORAL_TLS_*`,
    )
  }
}
