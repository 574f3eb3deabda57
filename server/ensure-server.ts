import type { EnsureServerOptions } from "./start/ensure-server-options.ts"
import { loadConnectionProfile } from "./connection/connection-profile.ts"
import { useEmbeddedServer } from "./embedded-server.ts"
import { useExternalServer } from "./external-server.ts"
import { newEngineFile } from "./find-running-server.ts"
import type { RunningServer } from "./running-server.ts"
import { silentLogger } from "./server-logger.ts"

/**
 * Returns a Temporal server: the one that TEMPORAL_* names, else the embedded one of the data directory, which is started if it is not running.
 * Throws AdjutantError `temporal_unavailable` or `invalid_config`, or the signal's reason when aborted.
 */
export const ensureServer = async (options: EnsureServerOptions): Promise<RunningServer> => {
  const logger = options.logger ?? silentLogger
  const profile = loadConnectionProfile(options.env)
  if (profile !== undefined) {
    return useExternalServer({ profile, timeoutMs: options.connectTimeoutMs ?? 10_000, logger })
  }
  const file = newEngineFile(options)
  if (file !== undefined) await options.beforeNewEngine?.(file)
  try {
    return await useEmbeddedServer(options)
  } catch (error) {
    // An aborted wait throws its own error.
    options.signal?.throwIfAborted()
    throw error
  }
}
