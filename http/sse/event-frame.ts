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

/** Returns an event of any session, without secrets. Its id is the cursor with which a client continues: not the event's own id, which `data` contains. */
export const storeEventFrame = (event: SessionEvent, cursor: number, redact: Redact): string =>
  `id: ${cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(redactTexts(event, redact))}\n\n`

/** Returns a frame that only sets the client's cursor. */
export const cursorFrame = (cursor: number): string => `: cursor\nid: ${cursor}\n\n`

/** A cursor that this store does not have: of another store, of one that was restored, or of events that are erased. It has the fields of an event. */
export interface Gap {
  /** Null in the stream of all sessions. */
  readonly session_id: string | null
  readonly run_id: string | null
  /** In milliseconds. */
  readonly at: number
  /** The cursor that no longer exists. */
  readonly after: number
  /** The events that the session has. */
  readonly first_id?: number
  readonly last_id?: number
}

/** Returns a gap event. It has no id, since the client's cursor belongs to another log. */
export const gapFrame = (gap: Gap): string =>
  `event: gap-detected\ndata: ${JSON.stringify({ type: "gap-detected", ...gap, at: new Date(gap.at).toISOString() })}\n\n`

/** A comment alone: after a blank line, some clients report an event without data. */
export const heartbeatFrame = ": heartbeat\n"
