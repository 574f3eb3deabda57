import type { IncomingMessage, ServerResponse } from "node:http"
import type { AdjutantClient } from "../../client/create-client.ts"
import type { Machine } from "../../engine/workers/machine.ts"
import type { RunningServer } from "../../server/running-server.ts"
import type { WorkerTrees } from "../../worker/trees/activities-by-tree.ts"
import type { StoreHost } from "../reading/store-host.ts"

/** A worker of this process. */
export interface HostWorker {
  /** The queue to which the activities of the tree are offered first; undefined for a worker of every session. */
  readonly hostQueue: string | undefined
  /** Rejects when the worker ends without `stop`. */
  readonly failed: Promise<never>
  /** Drains, then stops. */
  stop(): Promise<void>
}

export interface WorkerRequest {
  /** Root of the only tree whose activities it takes; without it, it serves every session. */
  readonly rootId?: string
  /** Whether it stops at once on a signal, without waiting for calls in flight, which the durability rules cover. */
  readonly stopsImmediately?: boolean
  /** Trees whose commands brought an environment and a configuration of their own. */
  readonly trees?: WorkerTrees
}

export interface ListenRequest {
  readonly host?: string
  readonly port?: number
  /** Answers only requests over the socket of the service. */
  readonly onlyLocally?: boolean
}

/** The HTTP server of this process. */
export interface ServedHttp {
  /** Undefined if it does not listen. */
  readonly url: string | undefined
  /** Answers a request over the socket of the service. */
  answerLocally(request: IncomingMessage, response: ServerResponse): void
  /** Returns a new link that opens the web page once; undefined if a token is configured. */
  pageLink(): string | undefined
  /** Ends event streams and waiting requests, lets accepted requests finish, and stops. */
  close(): Promise<void>
}

/** Everything that a command uses. `close` closes what was opened, workers included, in reverse order. */
export interface SessionHost extends StoreHost {
  readonly server: RunningServer
  readonly client: AdjutantClient
  /** Where this process runs. */
  readonly machine: Machine
  /** An id that no session of the store has. */
  newSessionId(): Promise<string>
  startWorker(options?: WorkerRequest): Promise<HostWorker>
  /** Starts the HTTP server at the address of the options or the configuration. */
  serveHttp(options?: ListenRequest): Promise<ServedHttp>
  /** Signals to the open sessions of the tree to which queue their activities are offered first; null: to none. Best effort. */
  announceHost(rootId: string, queue: string | null): Promise<void>
  /**
   * Brings the service what the work of a tree needs, and starts the service if no worker of the store runs: this process will not do the work.
   * @throws AdjutantError `service_unavailable`
   */
  handOver(rootId: string): Promise<void>
  /** Logs a line on stderr that is always shown. */
  warn(message: string): void
}
