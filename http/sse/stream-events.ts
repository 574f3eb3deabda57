import { once } from "node:events"
import type { ServerResponse } from "node:http"
import type { SessionEvent } from "../../contracts/event.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { eventFrame, heartbeatFrame } from "./event-frame.ts"

export interface EventStream {
  readonly events: AsyncIterable<SessionEvent>
  readonly response: ServerResponse
  /** Ends the stream, because the client disconnected or the server closes. */
  readonly stop: AbortController
  readonly redact: Redact
  readonly heartbeatMs: number
  readonly stalledReaderMs: number
}

/** Waits until the connection has room. A client that reads nothing for too long is disconnected; it can reconnect with its cursor. */
const drained = async ({ response, stop, stalledReaderMs }: EventStream): Promise<void> => {
  const timer = setTimeout(() => stop.abort(), stalledReaderMs)
  try {
    await once(response, "drain", { signal: stop.signal })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Writes events while the client reads them. The next event is loaded only when the connection has room, so that a slow client uses the memory
 * of one connection's buffer.
 */
export const streamEvents = async (stream: EventStream): Promise<void> => {
  const { events, response, stop, heartbeatMs, redact } = stream
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(heartbeatFrame)
  }, heartbeatMs)
  try {
    for await (const event of events) {
      if (stop.signal.aborted) return
      if (!response.write(eventFrame(event, redact))) await drained(stream)
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    clearInterval(heartbeat)
    const wasStalled = response.writableNeedDrain
    if (wasStalled) response.destroy()
    else response.end()
  }
}
