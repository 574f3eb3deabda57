import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { heartbeatFrame } from "./event-frame.ts"

export interface FrameStream {
  readonly frames: AsyncIterable<string | Uint8Array>
  readonly response: ServerResponse
  /** Ends the stream, because the client disconnected or the server closes. */
  readonly stop: AbortController
  readonly heartbeatMs: number
  readonly stalledReaderMs: number
}

/** Waits until the connection has room. A client that reads nothing for too long is disconnected; it can reconnect with its cursor. */
const drained = async ({ response, stop, stalledReaderMs }: FrameStream): Promise<void> => {
  const timer = setTimeout(() => stop.abort(), stalledReaderMs)
  try {
    await once(response, "drain", { signal: stop.signal })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Writes frames while the client reads them. The next frame is loaded only when the connection has room, so that a slow client uses the memory
 * of one connection's buffer.
 */
export const streamFrames = async (stream: FrameStream): Promise<void> => {
  const { frames, response, stop, heartbeatMs } = stream
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(heartbeatFrame)
  }, heartbeatMs)
  try {
    for await (const frame of frames) {
      if (stop.signal.aborted) return
      if (!response.write(frame)) await drained(stream)
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
