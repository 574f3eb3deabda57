import type { SessionEvent } from "../../contracts/event.ts"
import { sendWithToken } from "./request.ts"

interface Frame {
  readonly id?: number
  readonly event?: SessionEvent
}

const parseFrame = (frame: string): Frame => {
  const fields = { id: "", event: "", data: "" }
  for (const line of frame.split("\n")) {
    const [, name, value = ""] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
    if (name === "data") fields.data += value
    else if (name === "id" || name === "event") fields[name] = value
  }
  return {
    ...(fields.id === "" ? {} : { id: Number(fields.id) }),
    ...(fields.data === "" ? {} : { event: JSON.parse(fields.data) }),
  }
}

async function* readFrames(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Frame, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += value
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      yield parseFrame(text.slice(0, end))
      text = text.slice(end + 2)
    }
  }
}

const open = async (path: string, signal: AbortSignal): Promise<AsyncGenerator<Frame, void>> => {
  const response = await sendWithToken(path, { signal })
  if (!response.ok || response.body === null) throw new Error(`The server answered ${response.status}.`)
  return readFrames(response.body)
}

const reconnectMs = 1_000

export interface Follower {
  readonly signal: AbortSignal
  readonly onEvent: (event: SessionEvent) => void
  /** Told of every connection. */
  readonly onOpen: () => void
  /** Told of every connection that broke; another one is made. */
  readonly onLost: (error: unknown) => void
}

/** Follows the events of all sessions until the signal fires. Continues where it was after a broken connection. */
export const followStore = async ({ signal, onEvent, onOpen, onLost }: Follower): Promise<void> => {
  let cursor: number | undefined
  while (!signal.aborted) {
    try {
      const frames = await open(`/v1/events${cursor === undefined ? "" : `?after=${cursor}`}`, signal)
      onOpen()
      for await (const { id, event } of frames) {
        cursor = id ?? cursor
        if (event !== undefined) onEvent(event)
      }
    } catch (error) {
      if (signal.aborted) return
      onLost(error)
    }
    await new Promise((resolve) => setTimeout(resolve, reconnectMs))
  }
}

/** Reads the events that a session has so far, up to the given id; with `after`, only those behind that one. */
export const readPast = async (
  sessionId: string,
  lastId: number,
  { signal, onEvent, after = 0 }: Pick<Follower, "signal" | "onEvent"> & { readonly after?: number },
): Promise<void> => {
  if (lastId === 0) return
  const stop = new AbortController()
  const frames = await open(`/v1/sessions/${sessionId}/events?after=${after}`, AbortSignal.any([signal, stop.signal]))
  try {
    for await (const { event } of frames) {
      if (event === undefined) continue
      onEvent(event)
      if (event.id >= lastId) return
    }
  } finally {
    stop.abort()
  }
}
