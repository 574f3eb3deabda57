import type { Redact } from "../domain/text/redact.ts"
import type { FastifyInstance } from "fastify"
import type { AdjutantClient } from "../client/create-client.ts"
import type { LoadedConfig } from "../config/loaded-config.ts"
import type { Store } from "../store/store.ts"

/** The part of a pino logger that the server uses. */
export interface HttpLogger {
  warn(details: Readonly<Record<string, unknown>>, message: string): void
  error(details: Readonly<Record<string, unknown>>, message: string): void
}

/** Limits and timeouts. `…Ms`: milliseconds. */
export interface HttpLimits {
  readonly bodyBytes: number
  readonly urlBytes: number
  readonly headerBytes: number
  /** Requests per token; per client address for the user of this machine and, counted apart, for requests without a token. */
  readonly requestsPerMinute: number
  /** Invalid tokens and signatures per client address. */
  readonly refusalsPerMinute: number
  readonly streams: number
  /** Open streams and waiting requests per token; per client address for the user of this machine. */
  readonly streamsPerCaller: number
  readonly heartbeatMs: number
  /** A client that reads nothing for this long is disconnected. */
  readonly stalledReaderMs: number
  /** How long a repeated request waits for the first one's answer. */
  readonly idempotencyWaitMs: number
  /** How long accepted requests may take to finish when the server closes. */
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
  streamsPerCaller: 200,
  heartbeatMs: 15_000,
  stalledReaderMs: 60_000,
  idempotencyWaitMs: 10_000,
  closeGraceMs: 15_000,
  readyTimeoutMs: 2_000,
  requestTimeoutMs: 60_000,
}

/** Answers single MCP requests. The caller has already been authenticated. */
export interface McpEndpoint {
  serve(
    request: Request,
    call: {
      readonly body: unknown
      readonly caller: {
        readonly name: string
        readonly mayRun: boolean
        readonly mayApprove: boolean
        /** Whether the caller may use directories outside `http.workspaces`. */
        readonly mayUseAnyDirectory: boolean
        /** Whether the caller reaches sessions that it did not start. */
        readonly reachesAllSessions: boolean
      }
    },
  ): Promise<Response>
}

/** The tables that the HTTP API reads and writes itself. */
type HttpStore = Pick<
  Store,
  "sessions" | "events" | "pauses" | "audit" | "idempotencyKeys" | "publicAddress" | "dailyUsage" | "within" | "probe"
>

export interface HttpServerOptions {
  readonly client: AdjutantClient
  readonly store: HttpStore
  readonly loaded: LoadedConfig
  /** Environment variables as in `process.env`; tokens and secrets are read from them. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly logger: HttpLogger
  /**
   * Returns the token that callers need if none is configured; called on loopback only. `none`: every request is allowed, for tests and
   * measurements.
   */
  readonly localToken: (() => Promise<string>) | "none"
  /** Answers only what `answerLocally` gets: the server needs no token and no secret of hooks and channels, and must not listen. */
  readonly onlyLocally?: boolean
  readonly temporalUiUrl?: string
  /** Folder of the web page: `index.html` is served at `/`, the other files at `/<name>`. */
  readonly webRoot?: string
  /** Answers requests to `/mcp`. Without it, the route does not exist. */
  readonly mcp?: McpEndpoint
  /** Adds routes of other adapters behind the same guards. */
  readonly extend?: (app: FastifyInstance, context: HttpContext) => void | Promise<void>
  /** Overrides `http.host`; `port` overrides `http.port`. */
  readonly host?: string
  readonly port?: number
  readonly limits?: Partial<HttpLimits>
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/** What every route uses. */
export interface HttpContext extends Pick<HttpServerOptions, "client" | "store" | "loaded" | "logger"> {
  readonly limits: HttpLimits
  readonly now: () => number
  /** Removes known secrets from a text. */
  readonly redact: Redact
  readonly temporalUiUrl: string | undefined
  /** Public address of the server, without a trailing slash. */
  readonly publicUrl: () => string
  /** Aborted when the server starts to close. */
  readonly closing: AbortSignal
}
