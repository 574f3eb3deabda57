import type { ServerLogger } from "../server-logger.ts"
import type { Synchronous } from "../keeper/server-record.ts"
import type { StartLimits } from "./start-limits.ts"

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
