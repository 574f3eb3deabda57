import type { FastifyInstance } from "fastify"
import { collectSecrets } from "../config/secrets/secrets.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { redact } from "../domain/text/redact.ts"
import { isLoopback } from "../domain/web/loopback-host.ts"
import { addRoutes, type RouteSecrets } from "./add-routes.ts"
import { createApp } from "./create-app.ts"
import { defaultHttpLimits, type HttpContext, type HttpServerOptions } from "./http-options.ts"
import { inboundHooks } from "./inbound/inbound-hook.ts"
import { channelSecrets } from "./inbound/read-channel-message.ts"
import { type AccessTokens, createAccessTokens } from "./security/access-tokens.ts"

export interface HttpServer {
  /** The application, for `inject` and for changes that `extend` cannot make. */
  readonly app: FastifyInstance
  /** Starts listening and returns the address, `http://host:port`. @throws AdjutantError `port_in_use` */
  listen(): Promise<string>
  /** Refuses new connections, ends the event streams, lets accepted requests finish, and stops. */
  close(): Promise<void>
}

const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host)

const requireTokens = ({ loaded, env }: HttpServerOptions, listenHost: string): AccessTokens => {
  const tokens = createAccessTokens(loaded.config.http.tokens, env)
  if (!tokens.isRequired && !isLoopback(listenHost))
    throw new AdjutantError(
      "invalid_config",
      `the HTTP server listens on ${listenHost} only with a token: set ADJUTANT_API_TOKEN, or set http.host to 127.0.0.1`,
    )
  return tokens
}

const contextOf = (
  options: HttpServerOptions,
  { address, closing }: { readonly address: () => string; readonly closing: AbortSignal },
): HttpContext => {
  const { client, store, loaded, env, logger } = options
  const { config } = loaded
  const secrets = collectSecrets(config, loaded.models, env)
  return {
    client,
    store,
    loaded,
    logger,
    limits: { ...defaultHttpLimits, ...options.limits },
    temporalUiUrl: options.temporalUiUrl,
    now: options.now ?? Date.now,
    redact: (text) => redact(text, secrets),
    publicUrl: () => (config.http.publicUrl ?? address()).replace(/\/+$/, ""),
    closing,
  }
}

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
    tokens: requireTokens(options, host),
    hooks: inboundHooks(config.inbound, env),
    channels: channelSecrets(config.channels, env),
  }
  const closing = new AbortController()
  let address = `http://${urlHost(host)}:${port}`
  const context = contextOf(options, { address: () => address, closing: closing.signal })
  const app = createApp(logger, context.limits)
  await addRoutes(app, context, { ...secrets, listenHost: host, options })
  await app.ready()
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
    close: async () => {
      closing.abort()
      const timer = setTimeout(() => app.server.closeAllConnections(), context.limits.closeGraceMs)
      try {
        await app.close()
      } finally {
        clearTimeout(timer)
      }
    },
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
