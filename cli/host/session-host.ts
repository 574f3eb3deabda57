import type { AdjutantClient } from "../../client/adjutant-client.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { RunningServer } from "../../server/running-server.ts"
import type { Store } from "../../store/store.ts"

/** A worker of this process. */
export interface HostWorker {
  /** Queue that the tree's activities are offered to first; undefined for a worker of every session. */
  readonly hostQueue: string | undefined
  /** Rejects when the worker ends by itself. */
  readonly failed: Promise<never>
  /** Drains, then stops. */
  stop(): Promise<void>
}

export interface WorkerRequest {
  /** Root of the only tree whose activities it takes; without it, it serves every session. */
  readonly rootId?: string
  /** It stops at once at a signal: it does not wait for calls in flight, which the durability rules cover. */
  readonly stopsImmediately?: boolean
}

/** All that a command works with. Whatever was opened is closed in reverse order by `close`, workers included. */
export interface SessionHost {
  readonly loaded: LoadedConfig
  readonly server: RunningServer
  readonly store: Store
  readonly client: AdjutantClient
  /** An id that no session of the store has. */
  newSessionId(): Promise<string>
  startWorker(options?: WorkerRequest): Promise<HostWorker>
  /** Starts the HTTP server where the configuration, or the options, say; answers its address. */
  serveHttp(options?: { readonly host?: string; readonly port?: number }): Promise<string>
  /** Signals the tree's open sessions which queue their activities are offered to first; null: no longer any. Best effort. */
  announceHost(rootId: string, queue: string | null): Promise<void>
  /** Removes known secrets from a text. */
  redact(text: string): string
  /** A log line on stderr that is always shown. */
  warn(message: string): void
  close(): Promise<void>
}
