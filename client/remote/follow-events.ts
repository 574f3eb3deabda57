import { setTimeout as delay } from "node:timers/promises"
import { createParser, type EventSourceMessage } from "eventsource-parser"
import { type SessionEvent, sessionEventSchema } from "../../contracts/event.ts"
import { createOutage, headersOf, sendTo, urlOf } from "./ask-server.ts"
import type { ServerConnection } from "./server-connection.ts"
import { failureOf, unreachable } from "./server-failure.ts"

const reconnectMs = 500

/** Returns the frames in the pieces of a stream. */
async function* framesIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<EventSourceMessage, void, undefined> {
  const decoder = new TextDecoder()
  const frames: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (frame) => frames.push(frame) })
  for await (const piece of pieces) {
    parser.feed(decoder.decode(piece, { stream: true }))
    yield* frames.splice(0)
  }
}

const openStream = async (
  connection: ServerConnection,
  { sessionId, after, signal }: { readonly sessionId: string; readonly after: number; readonly signal: AbortSignal },
): Promise<AsyncIterable<EventSourceMessage>> => {
  const url = urlOf(connection, { path: `/v1/sessions/${encodeURIComponent(sessionId)}/events`, query: { after } })
  const response = await sendTo(connection, url, { headers: headersOf(connection), signal }).catch((error) => {
    throw unreachable(connection.url, error)
  })
  if (!response.ok || response.body === null)
    throw failureOf(connection.url, response.status, await response.json().catch(() => undefined))
  return framesIn(response.body)
}

/** Returns the event of a frame; undefined for frames about the stream itself. */
const eventIn = ({ data }: EventSourceMessage): SessionEvent | undefined => {
  try {
    return sessionEventSchema.safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}

/** Yields a session's events after the id `after`, until the signal fires. Connects again where a broken stream ended. */
export async function* followEvents(
  connection: ServerConnection,
  sessionId: string,
  { after = 0, signal }: { readonly after?: number; readonly signal: AbortSignal },
): AsyncGenerator<SessionEvent, void, undefined> {
  const outage = createOutage(connection, signal)
  for (let cursor = after; !signal.aborted;) {
    try {
      const frames = await openStream(connection, { sessionId, after: cursor, signal })
      outage.reached()
      for await (const frame of frames) {
        const event = eventIn(frame)
        if (event === undefined) continue
        cursor = event.id
        yield event
      }
    } catch (error) {
      if (signal.aborted) return
      await outage.tolerate(isBrokenStream(error) ? unreachable(connection.url, error) : error)
    }
    await delay(reconnectMs, undefined, { signal }).catch(() => undefined)
  }
}

/** A stream that breaks fails with the error of the connection; everything else is an error of the server. */
const isBrokenStream = (error: unknown): boolean => error instanceof TypeError
