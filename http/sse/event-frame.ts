import type { SessionEvent } from "../../contracts/event.ts"

const frames = new WeakMap<SessionEvent, Buffer>()

/** An event as bytes of a stream; made once for all readers that share it. */
export const eventFrame = (event: SessionEvent): Buffer => {
  const known = frames.get(event)
  if (known !== undefined) return known
  const frame = Buffer.from(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  frames.set(event, frame)
  return frame
}

export interface Gap {
  readonly session_id: string
  /** The cursor that is gone. */
  readonly after: number
  readonly first_id: number
  readonly last_id: number
}

/** Has no id of its own: what the reader has seen is another log's. */
export const gapFrame = (gap: Gap): string =>
  `event: gap-detected\ndata: ${JSON.stringify({ type: "gap-detected", ...gap })}\n\n`

export const heartbeatFrame = ": heartbeat\n\n"
