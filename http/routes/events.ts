import { z } from "zod"
import { eventsHeadersSchema, eventsQuerySchema, storeEventsQuerySchema } from "../../contracts/http/session-events.ts"
import { sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import type { HttpMetrics } from "../security/open-streams.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"
import { cursorFrame, eventFrame, gapFrame, storeEventFrame } from "../sse/event-frame.ts"
import { openStream } from "../sse/open-stream.ts"
import { startPosition } from "../sse/start-position.ts"

const headOf = async ({ store, client }: HttpContext, sessionId: string) => {
  // The cheap check comes first: a thousand clients that reconnect at once cause no requests to Temporal.
  const row = await store.sessions.get(sessionId)
  if (row === undefined || row.deletedAt !== null) await client.info(sessionId)
  const bounds = await store.events.read(sessionId, { after: Number.MAX_SAFE_INTEGER, limit: 1 })
  return { bounds, runId: row?.runId ?? null }
}

async function* sessionFrames(
  { store, redact }: HttpContext,
  stream: { readonly sessionId: string; readonly after: number; readonly gap: string | undefined },
  signal: AbortSignal,
): AsyncGenerator<string | Uint8Array, void> {
  if (stream.gap !== undefined) yield stream.gap
  for await (const event of store.events.follow(stream.sessionId, { after: stream.after, signal }))
    yield eventFrame(event, redact)
}

async function* storeFrames(
  { store, redact }: HttpContext,
  stream: { readonly from: number; readonly gap: string | undefined },
  signal: AbortSignal,
): AsyncGenerator<string | Uint8Array, void> {
  if (stream.gap !== undefined) yield stream.gap
  for await (const { events, cursor } of store.events.followStore({ from: stream.from, signal })) {
    for (const event of events) yield storeEventFrame(event, cursor, redact)
    if (events.length === 0) yield cursorFrame(cursor)
  }
}

// OpenAPI 3.1 has no word for the items of a stream. Its tools read this schema as that of each event.
const serverSentEventSchema = z.object({
  id: z.string().optional().describe("The cursor with which a client continues, as `Last-Event-ID`"),
  event: z.string().optional().describe("The type of the event, which `data` contains too"),
  data: z.string().optional().describe("The event, as JSON"),
})

const eventStream = { 200: { content: { "text/event-stream": { schema: serverSentEventSchema } } } }

/** Adds the streams of events: of one session, and of the whole store. */
export const eventRoutes = (app: ZodApp, context: HttpContext, metrics: HttpMetrics): void => {
  app.get(
    "/v1/sessions/:id/events",
    {
      ...routeOf("sessions", "followSession", "Follow a session's events as they happen", {
        access: "read",
        params: sessionParamsSchema,
        querystring: eventsQuerySchema,
        headers: eventsHeadersSchema,
        answers: eventStream,
      }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const sessionId = request.params.id
      const { bounds, runId } = await headOf(context, sessionId)
      const cursor = request.headers["last-event-id"] ?? request.query.after
      const { after, isGone } = startPosition({ cursor, live: request.query.live === "true" }, bounds)
      const gap =
        isGone && cursor !== undefined
          ? gapFrame({
              ...{ session_id: sessionId, run_id: runId, at: context.now(), after: cursor },
              ...{ first_id: bounds.firstId, last_id: bounds.lastId },
            })
          : undefined
      const frames = (signal: AbortSignal) => sessionFrames(context, { sessionId, after, gap }, signal)
      await openStream(context, metrics, { request, reply, frames })
    },
  )

  app.get(
    "/v1/events",
    {
      ...routeOf("sessions", "followAllSessions", "Follow the events of all sessions as they happen", {
        access: "read",
        querystring: storeEventsQuerySchema,
        headers: eventsHeadersSchema,
        answers: eventStream,
      }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const now = await context.store.events.storeCursor()
      const cursor = request.headers["last-event-id"] ?? request.query.after
      const isGone = cursor !== undefined && cursor > now
      const from = cursor === undefined || isGone ? now : cursor
      const gap = isGone ? gapFrame({ session_id: null, run_id: null, at: context.now(), after: cursor }) : undefined
      const frames = (signal: AbortSignal) => storeFrames(context, { from, gap }, signal)
      await openStream(context, metrics, { request, reply, frames })
    },
  )
}
