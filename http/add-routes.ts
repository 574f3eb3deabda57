import type { IncomingMessage } from "node:http"
import type { FastifyInstance } from "fastify"
import type { ZodTypeProvider } from "fastify-type-provider-zod"
import { addLocations } from "./answers/answer-location.ts"
import { compressAnswers } from "./answers/compress-answers.ts"
import { addIdempotency } from "./answers/idempotency.ts"
import { addMetrics } from "./http-metrics.ts"
import { codecRoutes } from "./codec/codec-routes.ts"
import type { HttpContext, HttpServerOptions } from "./http-options.ts"
import type { InboundHook } from "./inbound/inbound-hook.ts"
import { addOpenApi, addOpenApiRoute } from "./openapi.ts"
import type { LocalCall } from "./local-call.ts"
import { serveWebPage } from "./pages/web-page.ts"
import { agentRoutes } from "./routes/agents.ts"
import { approvalLinkRoutes } from "./routes/approval-links.ts"
import { approvalRoutes, toolDecisionRoutes } from "./routes/approvals.ts"
import { callerRoute } from "./routes/caller.ts"
import { channelRoutes } from "./routes/channels.ts"
import { eventRoutes } from "./routes/events.ts"
import { grantRoutes } from "./routes/grants.ts"
import { healthRoutes } from "./routes/health.ts"
import { hookRoutes } from "./routes/hooks.ts"
import { mcpRoutes } from "./routes/mcp.ts"
import { messageRoutes } from "./routes/messages.ts"
import { pageTokenRoute } from "./pages/page-token.ts"
import { runRoutes } from "./routes/runs.ts"
import { sessionControlRoutes, stopRoute } from "./routes/session-control.ts"
import { scheduleRoutes } from "./routes/schedules.ts"
import { auditRoute, sessionRoutes, usageRoute } from "./routes/sessions.ts"
import type { AccessTokens } from "./security/access-tokens.ts"
import { guardRequests } from "./security/guard-requests.ts"
import type { PageCodes } from "./security/page-codes.ts"

export interface RouteSecrets {
  readonly tokens: AccessTokens
  /** The token of the data directory, if callers need that one. */
  readonly localToken: string | undefined
  /** What the page gets in exchange for a code, in place of that token. It ends with this process. */
  readonly pageToken: string | undefined
  readonly pageCodes: PageCodes
  readonly hooks: ReadonlyMap<string, InboundHook>
  /** Signing secrets by channel. */
  readonly channels: ReadonlyMap<string, () => string>
}

/** Adds every route, in the order in which the OpenAPI document lists them, behind the guards. */
export const addRoutes = async (
  plain: FastifyInstance,
  context: HttpContext,
  {
    tokens,
    pageToken,
    pageCodes,
    hooks,
    channels,
    listenHost,
    localCall,
    options,
  }: RouteSecrets & {
    readonly listenHost: string
    readonly localCall: (request: IncomingMessage) => LocalCall | undefined
    readonly options: Pick<HttpServerOptions, "env" | "mcp" | "webRoot" | "extend">
  },
): Promise<void> => {
  const app = plain.withTypeProvider<ZodTypeProvider>()
  const guard = guardRequests(plain, context, { tokens, listenHost, localCall })
  await addOpenApi(plain, { needsToken: tokens.isRequired, url: context.loaded.config.http.publicUrl })
  const metrics = addMetrics(plain, context)
  addIdempotency(plain, context)
  addLocations(plain)
  // After what keeps an answer as it is.
  compressAnswers(plain)
  addOpenApiRoute(plain)
  healthRoutes(plain, context)
  sessionRoutes(app, context)
  messageRoutes(app, context)
  runRoutes(app, context, metrics)
  eventRoutes(app, context, metrics)
  toolDecisionRoutes(app, context)
  sessionControlRoutes(app, context)
  stopRoute(app, context)
  callerRoute(app)
  approvalRoutes(app, context)
  agentRoutes(app, context)
  grantRoutes(app, context)
  scheduleRoutes(app, context)
  auditRoute(app, context)
  usageRoute(app, context)
  await approvalLinkRoutes(app, context, { tokens, guard })
  await hookRoutes(app, context, { hooks, guard })
  await channelRoutes(app, context, { secrets: channels, guard })
  await codecRoutes(plain, context, { env: options.env, guard })
  if (options.mcp !== undefined) mcpRoutes(plain, { context, guard, streams: metrics.streams }, options.mcp)
  if (pageToken !== undefined) pageTokenRoute(app, { token: pageToken, codes: pageCodes, guard })
  if (options.webRoot !== undefined) await serveWebPage(plain, options.webRoot, context.logger)
  await options.extend?.(plain, context)
}
