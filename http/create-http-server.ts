import type { IncomingMessage, ServerResponse } from "node:http"
import type { FastifyInstance } from "fastify"
import { createSecretRedact } from "../config/secrets/secrets.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { isLoopback } from "../domain/web/loopback-host.ts"
import { addRoutes, type RouteSecrets } from "./add-routes.ts"
import { createApp } from "./create-app.ts"
import { defaultHttpLimits, type HttpContext, type HttpServerOptions } from "./http-options.ts"
import { inboundHooks } from "./inbound/inbound-hook.ts"
import { channelSecrets } from "./inbound/read-channel-message.ts"
import type { LocalCall } from "./local-call.ts"
import { createAccessTokens, localAccessTokens, newPageToken, noAccessTokens } from "./security/access-tokens.ts"
import { createPageCodes } from "./security/page-codes.ts"

export interface HttpServer {
  /** The application, for `inject` and for changes that `extend` cannot make. */
  readonly app: FastifyInstance
  /** Starts listening and returns the address, `http://host:port`. @throws AdjutantError `port_in_use` */
  listen(): Promise<string>
  /**
   * Answers a request of the user of this process, with every scope and without a token. The caller vouches for it: the connection must prove who
   * sent it, as a socket does that only this user can reach.
   */
  answerLocally(request: IncomingMessage, response: ServerResponse, call: LocalCall): void
  /** Returns a link that opens the web page once, for a server that accepts only the token of its data directory. */
  pageLink(): string | undefined
  /** Refuses new connections, ends the event streams, lets accepted requests finish, and stops. */
  close(): Promise<void>
}

const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** Returns the tokens that callers can use, and the one of the data directory if no other is configured. */
const requireTokens = async (
  { loaded, env, localToken, onlyLocally }: HttpServerOptions,
  listenHost: string,
): Promise<Pick<RouteSecrets, "tokens" | "localToken" | "pageToken">> => {
  const withoutLocal = { localToken: undefined, pageToken: undefined }
  if (onlyLocally === true) return { tokens: noAccessTokens, ...withoutLocal }
  const tokens = createAccessTokens(loaded.config.http.tokens, env)
  if (tokens.isRequired) return { tokens, ...withoutLocal }
  if (!isLoopback(listenHost))
    throw new AdjutantError(
      "invalid_config",
      `the HTTP server listens on ${listenHost} only with a token: set ADJUTANT_API_TOKEN, or set http.host to 127.0.0.1`,
    )
  if (localToken === "none") return { tokens, ...withoutLocal }
  const token = await localToken()
  const pageToken = newPageToken()
  return { tokens: localAccessTokens(token, pageToken), localToken: token, pageToken }
}

const contextOf = (
  options: HttpServerOptions,
  {
    secrets,
    address,
    closing,
  }: { readonly secrets: readonly string[] } & { readonly address: () => string; readonly closing: AbortSignal },
): HttpContext => {
  const { client, store, loaded, env, logger } = options
  const { config } = loaded
  return {
    client,
    store,
    loaded,
    logger,
    limits: { ...defaultHttpLimits, ...options.limits },
    temporalUiUrl: options.temporalUiUrl,
    now: options.now ?? Date.now,
    redact: createSecretRedact(loaded, env, secrets),
    publicUrl: () => (config.http.publicUrl ?? address()).replace(/\/+$/, ""),
    closing,
  }
}

/** How often a server that closes looks for connections without a request. */
const sweepMs = 50

/**
 * Creates the HTTP API over a client and a store, without listening yet. The caller closes the client and the store.
 * @throws AdjutantError `invalid_config` if a token or secret is not set, or if the server would listen beyond loopback without a token
 */
export const createHttpServer = async (options: HttpServerOptions): Promise<HttpServer> => {
  const { loaded, env, logger, store } = options
  const { config } = loaded
  const host = options.host ?? config.http.host
  const port = options.port ?? config.http.port
  const secrets: RouteSecrets = {
    ...(await requireTokens(options, host)),
    pageCodes: createPageCodes(options.now ?? Date.now),
    hooks: options.onlyLocally === true ? new Map() : inboundHooks(config.inbound, env, config.people),
    channels: options.onlyLocally === true ? new Map() : channelSecrets(config.channels, env),
  }
  const local = new WeakMap<IncomingMessage, LocalCall>()
  const closing = new AbortController()
  let address = `http://${urlHost(host)}:${port}`
  const context = contextOf(options, {
    secrets: [secrets.localToken, secrets.pageToken].filter((each) => each !== undefined),
    address: () => address,
    closing: closing.signal,
  })
  const app = createApp(logger, context.limits)
  await addRoutes(app, context, { ...secrets, listenHost: host, localCall: (request) => local.get(request), options })
  await app.ready()
  const close = async (): Promise<void> => {
    closing.abort()
    const timer = setTimeout(() => app.server.closeAllConnections(), context.limits.closeGraceMs)
    // A client keeps the connection of a request that was answered meanwhile.
    const sweep = setInterval(() => app.server.closeIdleConnections(), sweepMs)
    try {
      await app.close()
    } finally {
      clearInterval(sweep)
      clearTimeout(timer)
    }
  }
  let closed: Promise<void> | undefined
  return {
    app,
    listen: async () => {
      try {
        address = await app.listen({ host, port })
        await store.publicAddress.write(context.publicUrl())
        return address
      } catch (error) {
        throw listenFailure(error, `${urlHost(host)}:${port}`)
      }
    },
    answerLocally: (request, response, call) => {
      local.set(request, call)
      app.routing(request, response)
    },
    pageLink: () => (secrets.localToken === undefined ? undefined : `${address}/#code=${secrets.pageCodes.issue()}`),
    close: () => (closed ??= close()),
  }
}

const listenFailure = (error: unknown, address: string): unknown => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "EADDRINUSE")
    return new AdjutantError(
      "port_in_use",
      `${address} is already in use: stop the program that listens there, or choose another http.port`,
      {
        cause: error,
      },
    )
  if (code === "EADDRNOTAVAIL" || code === "EACCES" || code === "ENOTFOUND")
    return new AdjutantError(
      "invalid_config",
      `the server cannot listen on ${address} (${code}): change http.host or http.port`,
      { cause: error },
    )
  return error
}
