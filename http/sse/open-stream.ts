import type { FastifyReply, FastifyRequest } from "fastify"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { HttpMetrics } from "../security/open-streams.ts"
import type { HttpContext } from "../http-options.ts"
import { securityHeaders } from "../security/security-headers.ts"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { heartbeatFrame } from "./event-frame.ts"

interface FrameStream {
  readonly frames: AsyncIterable<string | Uint8Array>
  readonly response: ServerResponse
  /** Ends the stream, because the client disconnected, its token is no longer valid, or the server closes. */
  readonly stop: AbortController
  readonly hasAccess: () => boolean
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
const streamFrames = async (stream: FrameStream): Promise<void> => {
  const { frames, response, stop, hasAccess, heartbeatMs } = stream
  const heartbeat = setInterval(() => {
    if (!hasAccess()) stop.abort()
    else if (!response.writableNeedDrain) response.write(heartbeatFrame)
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

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
}

export interface OpenedStream {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Returns the frames to send, until the signal fires. */
  readonly frames: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>
}

/**
 * Answers a request with a stream of server-sent events until the client disconnects, its token gets another value, or the server closes.
 * @throws AdjutantError `rate_limited`, `temporal_unavailable` before anything is sent
 */
export const openStream = async (
  { limits, logger, closing }: Pick<HttpContext, "limits" | "logger" | "closing">,
  { streams }: Pick<HttpMetrics, "streams">,
  { request, reply, frames }: OpenedStream,
): Promise<void> => {
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
  try {
    const { heartbeatMs, stalledReaderMs } = limits
    const { hasAccess } = request
    await streamFrames({ frames: frames(stop.signal), response, stop, hasAccess, heartbeatMs, stalledReaderMs })
  } catch (error) {
    logger.error({ err: error, request_id: request.id, url: request.url.split("?")[0] }, "an event stream failed")
    response.destroy()
  } finally {
    stop.abort()
    closing.removeEventListener("abort", onClosing)
    close()
  }
}
