import type { SessionEvent } from "../../contracts/event.ts"

const frames = new WeakMap<SessionEvent, Buffer>()

/** Returns an event as bytes of a stream. Clients that receive the same event share the bytes. */
export const eventFrame = (event: SessionEvent): Buffer => {
  const known = frames.get(event)
  if (known !== undefined) return known
  const frame = Buffer.from(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  frames.set(event, frame)
  return frame
}

export interface Gap {
  readonly session_id: string
  /** The cursor that no longer exists. */
  readonly after: number
  readonly first_id: number
  readonly last_id: number
}

/** Returns a gap event. It has no id, since the client's cursor belongs to another log. */
export const gapFrame = (gap: Gap): string =>
  `event: gap-detected\ndata: ${JSON.stringify({ type: "gap-detected", ...gap })}\n\n`

export const heartbeatFrame = ": heartbeat\n\n"
