import { loadConnectionProfile } from "./connection-profile.ts"
import { useEmbeddedServer } from "./embedded-server.ts"
import { useExternalServer } from "./external-server.ts"
import { newEngineFile } from "./find-running-server.ts"
import type { RunningServer } from "./running-server.ts"
import { silentLogger, type ServerLogger } from "./server-logger.ts"
import type { Synchronous } from "./server-record.ts"
import type { StartLimits } from "./start/start-limits.ts"

export interface EnsureServerOptions {
  /** Absolute path of a data directory that exists. */
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly logger?: ServerLogger
  /** Lines for a person who waits: building the server, a start that takes longer than a second. */
  readonly onProgress?: (line: string) => void
  /** How SQLite writes in an embedded server that this call starts; default `normal`. */
  readonly synchronous?: Synchronous
  readonly signal?: AbortSignal
  /** What the server is used for, shown by `adjutant doctor`: "dev", "run". */
  readonly purpose?: string
  /** Time for an external server to answer; default 10 s. */
  readonly connectTimeoutMs?: number
  /** Limits of an embedded server's start, where they are not the usual ones. */
  readonly limits?: Partial<StartLimits>
  /** Called before an embedded server is started that has no data yet: rejects where nobody wants a new engine. */
  readonly beforeNewEngine?: (databasePath: string) => Promise<void>
}

/**
 * A Temporal server to work with: the one that TEMPORAL_* names, else the embedded one of the data directory, started where
 * nobody has. Throws AdjutantError `temporal_unavailable` or `invalid_config`, and the signal's reason when aborted.
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
    // A wait that was cut short throws an error of its own.
    options.signal?.throwIfAborted()
    throw error
  }
}
