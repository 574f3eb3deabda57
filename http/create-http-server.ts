import { fastify, type FastifyInstance } from "fastify"
import { validatorCompiler } from "fastify-type-provider-zod"
import { collectSecrets } from "../config/secrets/secrets.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { redact } from "../domain/text/redact.ts"
import { isLoopback } from "../domain/web/loopback-host.ts"
import { createAccessTokens } from "./security/access-tokens.ts"
import { addErrorHandling, answerClientError } from "./answers/answer-errors.ts"
import { guardRequests } from "./security/guard-requests.ts"
import { defaultHttpLimits, type HttpContext, type HttpServerOptions } from "./http-options.ts"
import { addMetrics } from "./http-metrics.ts"
import { addIdempotency } from "./answers/idempotency.ts"
import { addJsonParser } from "./answers/json-parser.ts"
import { addOpenApi, addOpenApiRoute } from "./openapi.ts"
import { requestIdOf } from "./answers/request-id.ts"
import { approvalLinkRoutes } from "./routes/approval-links.ts"
import { approvalRoutes } from "./routes/approvals.ts"
import { channelRoutes, channelSecrets } from "./routes/channels.ts"
import { eventRoutes } from "./routes/events.ts"
import { healthRoutes } from "./routes/health.ts"
import { hookRoutes, inboundHooks } from "./routes/hooks.ts"
import { mcpRoutes } from "./routes/mcp.ts"
import { messageRoutes } from "./routes/messages.ts"
import { sessionControlRoutes } from "./routes/session-control.ts"
import { sessionRoutes } from "./routes/sessions.ts"
import { toolDecisionRoutes } from "./routes/tool-decisions.ts"
import { serveWebPage } from "./pages/web-page.ts"

export interface HttpServer {
  /** For `inject` and for what `extend` could not do. */
  readonly app: FastifyInstance
  /** Begins to listen; answers the address, `http://host:port`. @throws AdjutantError `port_in_use` */
  listen(): Promise<string>
  /** Takes no new connection, ends the event streams, lets every accepted request finish, and ends. */
  close(): Promise<void>
}

const longestParameter = 2_048

const createApp = (options: HttpServerOptions, limits: HttpContext["limits"]): FastifyInstance => {
  const app = fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    genReqId: requestIdOf,
    requestIdHeader: false,
    requestTimeout: limits.requestTimeoutMs,
    // A request that was accepted is answered, also when the server began to close meanwhile.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: longestParameter },
    http: { maxHeaderSize: limits.headerBytes },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      app.errorHandler(error, request, reply)
    },
  })
  addJsonParser(app)
  app.setValidatorCompiler(validatorCompiler)
  // Schemas of answers are for the document: what the client layer gives is right by its types.
  app.setSerializerCompiler(() => JSON.stringify)
  addErrorHandling(app, options.logger)
  return app
}

const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/**
 * The HTTP API over a client and a store that stay the caller's to close. Listens nowhere yet.
 * @throws AdjutantError `invalid_config` for a token or secret that is not set, and where it would listen beyond loopback without a token
 */
export const createHttpServer = async (options: HttpServerOptions): Promise<HttpServer> => {
  const { client, store, loaded, env, logger } = options
  const { config } = loaded
  const host = options.host ?? config.http.host
  const limits = { ...defaultHttpLimits, ...options.limits }
  const tokens = createAccessTokens(config.http.tokens, env)
  if (!tokens.isRequired && !isLoopback(host))
    throw new AdjutantError(
      "invalid_config",
      `the HTTP server listens on ${host} only with a token: set ADJUTANT_API_TOKEN, or http.host to 127.0.0.1`,
    )
  const hooks = inboundHooks(config.inbound, env)
  const channels = channelSecrets(config.channels, env)
  const secrets = collectSecrets(config, loaded.models, env)
  const closing = new AbortController()
  let address = config.http.publicUrl ?? `http://${urlHost(host)}:${options.port ?? config.http.port}`
  const context: HttpContext = {
    client,
    store,
    loaded,
    logger,
    limits,
    temporalUiUrl: options.temporalUiUrl,
    now: options.now ?? Date.now,
    redact: (text) => redact(text, secrets),
    publicUrl: () => (config.http.publicUrl ?? address).replace(/\/+$/, ""),
    closing: closing.signal,
  }
  const app = createApp(options, limits)
  const guard = guardRequests(app, context, { tokens, listenHost: host })
  await addOpenApi(app, tokens.isRequired)
  const metrics = addMetrics(app, context)
  addIdempotency(app, context)
  addOpenApiRoute(app)
  healthRoutes(app, context)
  sessionRoutes(app, context)
  messageRoutes(app, context)
  eventRoutes(app, context, metrics)
  toolDecisionRoutes(app, context)
  sessionControlRoutes(app, context)
  approvalRoutes(app, context)
  await approvalLinkRoutes(app, context)
  await hookRoutes(app, context, { hooks, guard })
  await channelRoutes(app, context, { secrets: channels, guard })
  if (options.mcp !== undefined) mcpRoutes(app, context, options.mcp)
  if (options.webRoot !== undefined) await serveWebPage(app, options.webRoot)
  await options.extend?.(app, context)
  await app.ready()
  return {
    app,
    listen: async () => {
      const port = options.port ?? config.http.port
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
      const patience = setTimeout(() => app.server.closeAllConnections(), limits.closeGraceMs)
      try {
        await app.close()
      } finally {
        clearTimeout(patience)
      }
    },
  }
}

const listenFailure = (error: unknown, place: string): unknown => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "EADDRINUSE")
    return new AdjutantError("port_in_use", `${place} is taken: stop what listens there, or choose another http.port`, {
      cause: error,
    })
  if (code === "EADDRNOTAVAIL" || code === "EACCES" || code === "ENOTFOUND")
    return new AdjutantError(
      "invalid_config",
      `the server may not listen on ${place} (${code}): see http.host and http.port`,
      {
        cause: error,
      },
    )
  return error
}
