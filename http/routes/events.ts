import { z } from "zod"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { eventsHeadersSchema, eventsQuerySchema } from "../../contracts/http/session-events.ts"
import { sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import type { HttpMetrics } from "../http-metrics.ts"
import type { HttpContext } from "../http-options.ts"
import { securityHeaders } from "../security/security-headers.ts"
import { routeOf, type ZodApp } from "../openapi.ts"
import { gapFrame } from "../sse/event-frame.ts"
import { startPosition } from "../sse/start-position.ts"
import { streamEvents } from "../sse/stream-events.ts"

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
}

const headOf = async ({ store, client }: HttpContext, sessionId: string) => {
  // The cheap check comes first: a thousand clients that reconnect at once cause no requests to Temporal.
  const row = await store.sessions.get(sessionId)
  if (row === undefined || row.deletedAt !== null) await client.info(sessionId)
  return await store.events.read(sessionId, { after: Number.MAX_SAFE_INTEGER, limit: 1 })
}

export const eventRoutes = (app: ZodApp, context: HttpContext, { streams }: HttpMetrics): void => {
  const { store, limits, logger, closing, redact } = context
  app.get(
    "/v1/sessions/:id/events",
    {
      ...routeOf("sessions", "Follow a session's events as they happen", {
        access: "read",
        params: sessionParamsSchema,
        querystring: eventsQuerySchema,
        headers: eventsHeadersSchema,
        answers: { 200: { content: { "text/event-stream": { schema: z.string() } } } },
      }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const sessionId = request.params.id
      const bounds = await headOf(context, sessionId)
      const cursor = request.headers["last-event-id"] ?? request.query.after
      const { after, isGone } = startPosition({ cursor, live: request.query.live === "true" }, bounds)
      if (closing.aborted) throw new AdjutantError("temporal_unavailable", "the server is closing; connect again")
      const close = streams.take(request)
      const stop = new AbortController()
      const response = reply.raw
      response.once("close", () => stop.abort())
      const onClosing = () => stop.abort()
      closing.addEventListener("abort", onClosing)
      reply.hijack()
      response.writeHead(200, { ...securityHeaders, ...headers, "x-request-id": request.id })
      response.flushHeaders()
      if (isGone && cursor !== undefined)
        response.write(
          gapFrame({ session_id: sessionId, after: cursor, first_id: bounds.firstId, last_id: bounds.lastId }),
        )
      try {
        const events = store.events.follow(sessionId, { after, signal: stop.signal })
        const { heartbeatMs, stalledReaderMs } = limits
        await streamEvents({ events, redact, response, stop, heartbeatMs, stalledReaderMs })
      } catch (error) {
        logger.error({ err: error, request_id: request.id, session_id: sessionId }, "an event stream failed")
        response.destroy()
      } finally {
        closing.removeEventListener("abort", onClosing)
        close()
      }
    },
  )
}
