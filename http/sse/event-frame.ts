import type { SessionEvent } from "../../contracts/event.ts"
import { type Redact, redactTexts } from "../../domain/text/redact.ts"

const frames = new WeakMap<SessionEvent, Buffer>()

/** Returns an event, without secrets, as bytes of a stream. Clients that receive the same event share the bytes. */
export const eventFrame = (event: SessionEvent, redact: Redact): Buffer => {
  const known = frames.get(event)
  if (known !== undefined) return known
  const frame = Buffer.from(
    `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(redactTexts(event, redact))}\n\n`,
  )
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
