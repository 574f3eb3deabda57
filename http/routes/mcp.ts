import type { FastifyInstance, FastifyRequest } from "fastify"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { mayCall } from "../security/access.ts"
import type { HttpContext, McpEndpoint } from "../http-options.ts"

/** What the protocol reads; cookies and tokens go no further. */
const passedOn = [
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
    if (typeof value === "string" && (passedOn.includes(name) || name.startsWith("mcp-param-"))) passed.set(name, value)
  return passed
}

/** Every revision's requests come by POST. There is no session to listen to or to end, which GET and DELETE are told by 405. */
export const mcpRoutes = (app: FastifyInstance, context: HttpContext, endpoint: McpEndpoint): void => {
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
      const gone = new AbortController()
      reply.raw.once("close", () => gone.abort())
      const isPost = request.method === "POST"
      const message = new Request(new URL("/mcp", context.publicUrl()), {
        method: request.method,
        headers: headersOf(request),
        ...(isPost ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.any([gone.signal, context.closing]),
      })
      const response = await endpoint.serve(message, {
        body,
        caller: {
          name: caller.name,
          mayRun: mayCall(caller, "run"),
          mayApprove: mayCall(caller, "approve"),
          mayLeave: mayCall(caller, "admin"),
        },
      })
      return await reply.send(response)
    },
  })
}
