import type { FastifyInstance, FastifyRequest } from "fastify"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { inRunHeader } from "../../domain/caller/caller-id.ts"
import { mayCall } from "../access.ts"
import type { RequestGuard } from "../security/guard-requests.ts"
import type { HttpMetrics } from "../security/open-streams.ts"
import type { HttpContext, McpEndpoint } from "../http-options.ts"

/** The headers that the protocol reads. Cookies and tokens are not forwarded. */
const forwardedHeaders = [
  "accept",
  "content-type",
  "mcp-protocol-version",
  "mcp-session-id",
  "mcp-method",
  "mcp-name",
  "last-event-id",
]

const headersOf = ({ headers }: FastifyRequest): Headers => {
  const passed = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (typeof value === "string" && (forwardedHeaders.includes(name) || name.startsWith("mcp-param-")))
      passed.set(name, value)
  return passed
}

/** Adds `/mcp`. Requests of every protocol revision use POST; GET and DELETE get 405, since no MCP session exists to stream or end. */
export const mcpRoutes = (
  app: FastifyInstance,
  {
    context,
    guard,
    streams,
  }: { readonly context: HttpContext; readonly guard: RequestGuard } & Pick<HttpMetrics, "streams">,
  endpoint: McpEndpoint,
): void => {
  app.route({
    method: ["GET", "POST", "DELETE"],
    url: "/mcp",
    config: { access: "read", ignoresIdempotencyKey: true },
    schema: { hide: true },
    handler: async (request, reply) => {
      const { caller, body } = request
      if (caller === null) throw new AdjutantError("unauthorized", "send a valid token: authorization: Bearer <token>")
      if (request.method === "POST" && body === undefined)
        throw new AdjutantError("invalid_argument", "send one JSON-RPC message as JSON")
      // Each message of a batch is a request, and any request can be a wait, or be answered with a stream.
      const messages = Array.isArray(body) ? Math.max(1, body.length) : 1
      guard.brings(request, reply, messages - 1)
      const close = streams.take(request, messages)
      const disconnected = new AbortController()
      reply.raw.once("close", () => {
        close()
        disconnected.abort()
      })
      const isPost = request.method === "POST"
      const message = new Request(new URL("/mcp", context.publicUrl()), {
        method: request.method,
        headers: headersOf(request),
        ...(isPost ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.any([disconnected.signal, context.closing]),
      })
      const response = await endpoint.serve(message, {
        body,
        caller: {
          name: caller.name,
          mayRun: mayCall(caller, "run"),
          mayApprove: mayCall(caller, "approve") && request.headers[inRunHeader] === undefined,
          mayUseAnyDirectory: mayCall(caller, "admin"),
          reachesAllSessions: mayCall(caller, "admin"),
        },
      })
      return await reply.send(response)
    },
  })
}
