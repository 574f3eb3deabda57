import type { ServerLogger } from "../server-logger.ts"
import type { Synchronous } from "../keeper/server-record.ts"
import type { StartLimits } from "../process/start-limits.ts"

export interface EnsureServerOptions {
  /** Absolute path of a data directory that exists. */
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly logger?: ServerLogger
  /** Called with lines for a waiting person: a build of the server, a start that takes longer than a second. */
  readonly onProgress?: (line: string) => void
  /** How SQLite syncs in an embedded server that this call starts; default: `normal`. */
  readonly synchronous?: Synchronous
  readonly signal?: AbortSignal
  /** The purpose that `adjutant doctor` shows: "dev", "run". */
  readonly purpose?: string
  /** Timeout for the answer of an external server; default: 10 s. */
  readonly connectTimeoutMs?: number
  /** Limits of an embedded server's start that differ from the defaults. */
  readonly limits?: Partial<StartLimits>
  /** Called before an embedded server without data is started; rejects if a new engine must not be created. */
  readonly beforeNewEngine?: (databasePath: string) => Promise<void>
}
