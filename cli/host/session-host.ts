import type { IncomingMessage, ServerResponse } from "node:http"
import type { AdjutantClient } from "../../client/create-client.ts"
import type { Machine } from "../../engine/workers/machine.ts"
import type { RunningServer } from "../../server/running-server.ts"
import type { WorkerTrees } from "../../worker/trees/activities-by-tree.ts"
import type { LocalCall } from "../../http/local-call.ts"
import type { TreeReading } from "../../service/tree-registry.ts"
import type { StoreHost } from "./store-host.ts"

/** A worker of this process. */
export interface HostWorker {
  /** Rejects when the worker ends without `stop`. */
  readonly failed: Promise<never>
  /** Lets no further call begin. Resolves when those in flight have ended, however long that takes. */
  drain(): Promise<void>
  /** Drains for the grace time, then stops. */
  stop(): Promise<void>
}

export interface WorkerRequest {
  /** False: it does not execute workflows that a later build has executed; default true. */
  readonly mayGoBack?: boolean
  /** Trees whose commands brought an environment and a configuration of their own. */
  readonly trees?: WorkerTrees
  /** Serves the metrics of the engine's library at this port of loopback. */
  readonly metricsPort?: number
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
  answerLocally(request: IncomingMessage, response: ServerResponse, call: LocalCall): void
  /** Returns a new link that opens the web page once; undefined if a token is configured. */
  pageLink(): string | undefined
  /** Returns what is wrong with the destinations of `notify`, once their services have said so. */
  problems(): readonly string[]
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
  /** Returns a client that uses what the command of a tree has read. */
  clientFor(reading: TreeReading): AdjutantClient
  startWorker(options?: WorkerRequest): Promise<HostWorker>
  /** Starts the HTTP server at the address of the options or the configuration. */
  serveHttp(options?: ListenRequest): Promise<ServedHttp>
  /**
   * Starts the service if no worker of the store runs, and brings it what the work of a tree needs; null: of no tree. This process does not do the work.
   * @throws AdjutantError `service_unavailable`
   */
  handOver(rootId: string | null): Promise<void>
  /** Logs a line on stderr that is always shown. */
  warn(message: string): void
}
