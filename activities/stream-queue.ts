import type { NewEvent } from "../store/store.ts"

/** Characters that one event may grow to while the store is slow. */
const maxEventCharacters = 32_000
/** Characters that a session may have queued; what comes beyond is not shown. The transcript gets it all the same. */
const maxQueuedCharacters = 500_000

const deltaText = ({ data }: NewEvent): string => (typeof data["text"] === "string" ? data["text"] : "")

const isSameStream = (left: NewEvent, right: NewEvent): boolean =>
  left.type === right.type &&
  left.runId === right.runId &&
  left.data["seq"] === right.data["seq"] &&
  left.data["attempt"] === right.data["attempt"]

/** Returns one event for both, or undefined where both have to be shown. */
const joined = (earlier: NewEvent, later: NewEvent): NewEvent | undefined => {
  if (later.ordinal !== undefined || earlier.ordinal !== undefined || !isSameStream(earlier, later)) return undefined
  if (later.type === "tool-progressed") return earlier.data["call_id"] === later.data["call_id"] ? later : undefined
  const text = deltaText(earlier) + deltaText(later)
  return text.length > maxEventCharacters ? undefined : { ...later, data: { ...later.data, text } }
}

/** What one session has queued, oldest first. */
export interface StreamQueue {
  readonly events: NewEvent[]
  /** When another transaction was first found to have locked the session, and when to try again. */
  held?: { readonly since: number; readonly until: number }
  characters: number
  isFull: boolean
}

/** Queues an event. Once one does not fit, the rest is left out as well, except what has an ordinal: text with a gap in it would read as another text. */
export const enqueue = (queue: StreamQueue, event: NewEvent): void => {
  queue.isFull ||= queue.characters + deltaText(event).length > maxQueuedCharacters
  if (queue.isFull && event.ordinal === undefined) return
  queue.characters += deltaText(event).length
  const last = queue.events.at(-1)
  const both = last === undefined ? undefined : joined(last, event)
  if (both === undefined) queue.events.push(event)
  else queue.events[queue.events.length - 1] = both
}

export const newStreamQueue = (): StreamQueue => ({ events: [], characters: 0, isFull: false })
