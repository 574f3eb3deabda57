import type { FastifyInstance } from "fastify"
import type { AdjutantClient } from "../client/adjutant-client.ts"
import type { LoadedConfig } from "../config/loaded-config.ts"
import type { Store } from "../store/store.ts"

/** Pino's loggers fit. */
export interface HttpLogger {
  warn(details: Readonly<Record<string, unknown>>, message: string): void
  error(details: Readonly<Record<string, unknown>>, message: string): void
}

/** Limits and waits; a test sets them small. Milliseconds unless the name says otherwise. */
export interface HttpLimits {
  readonly bodyBytes: number
  readonly urlBytes: number
  readonly headerBytes: number
  /** Requests of one token, or of one address where none is needed. */
  readonly requestsPerMinute: number
  /** Refused tokens and signatures of one address. */
  readonly refusalsPerMinute: number
  readonly streams: number
  readonly heartbeatMs: number
  /** A reader that takes nothing for this long is disconnected. */
  readonly stalledReaderMs: number
  /** How long a repeated request waits for the first one's answer. */
  readonly idempotencyWaitMs: number
  /** How long the server's close lets accepted requests finish. */
  readonly closeGraceMs: number
  /** How long `/readyz` waits for Temporal. */
  readonly readyTimeoutMs: number
  readonly requestTimeoutMs: number
}

export const defaultHttpLimits: HttpLimits = {
  bodyBytes: 1_048_576,
  urlBytes: 8_192,
  headerBytes: 16_384,
  requestsPerMinute: 6_000,
  refusalsPerMinute: 60,
  streams: 2_000,
  heartbeatMs: 15_000,
  stalledReaderMs: 60_000,
  idempotencyWaitMs: 10_000,
  closeGraceMs: 15_000,
  readyTimeoutMs: 2_000,
  requestTimeoutMs: 60_000,
}

/** A server of MCP, one request at a time. The caller was checked before. */
export interface McpEndpoint {
  serve(
    request: Request,
    call: {
      readonly body: unknown
      readonly caller: {
        readonly name: string
        readonly mayRun: boolean
        readonly mayApprove: boolean
        /** May work outside of `http.workspaces`. */
        readonly mayUseAnyDirectory: boolean
      }
    },
  ): Promise<Response>
}

/** The tables that the HTTP API reads and writes itself. */
type HttpStore = Pick<Store, "sessions" | "events" | "pauses" | "audit" | "idempotencyKeys" | "publicAddress">

export interface HttpServerOptions {
  readonly client: AdjutantClient
  readonly store: HttpStore
  readonly loaded: LoadedConfig
  /** Names of the environment and their values, as `process.env` has them: tokens and secrets come from it. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly logger: HttpLogger
  readonly temporalUiUrl?: string
  /** Folder of the web page: `index.html` is served at `/`, the other files beside it. */
  readonly webRoot?: string
  /** What answers at `/mcp`; left out: there is no such route. */
  readonly mcp?: McpEndpoint
  /** Adds routes of other adapters behind the same guards. */
  readonly extend?: (app: FastifyInstance, context: HttpContext) => void | Promise<void>
  /** Instead of the configuration's. */
  readonly host?: string
  readonly port?: number
  readonly limits?: Partial<HttpLimits>
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/** What every route gets. */
export interface HttpContext extends Pick<HttpServerOptions, "client" | "store" | "loaded" | "logger"> {
  readonly limits: HttpLimits
  readonly now: () => number
  /** Takes known secrets out of a text. */
  readonly redact: (text: string) => string
  readonly temporalUiUrl: string | undefined
  /** Where people reach the server, without a slash at the end. */
  readonly publicUrl: () => string
  /** Fires when the server begins to close. */
  readonly closing: AbortSignal
}
