import { signal } from "@preact/signals"
import type { SessionEvent } from "../../contracts/event.ts"
import type { Session } from "../../contracts/session/session.ts"
import { readPast } from "../api/event-stream.ts"
import { server } from "../api/server.ts"
import { workingText } from "../session/events/working-text.ts"
import { callTitlesOf } from "../shown/call-parts.ts"
import { onStoreEvent } from "../state/store-events.ts"

interface Seen {
  /** The last events, in their order. */
  readonly events: readonly SessionEvent[]
  /** What the calls of the last answer do, by their ids. */
  readonly titles: ReadonlyMap<string, string>
}

/** What running sessions did last, as far as the page has seen it. */
const seen = signal<ReadonlyMap<string, Seen>>(new Map())
const nothing: Seen = { events: [], titles: new Map() }
const mostEvents = 60

const change = (id: string, by: (before: Seen) => Seen): void => {
  seen.value = new Map(seen.peek()).set(id, by(seen.peek().get(id) ?? nothing))
}

const readTitles = async (id: string, seq: number): Promise<void> => {
  const [answer] = (await server.messages(id, seq - 1)).items
  if (answer?.message.role === "assistant") change(id, (before) => ({ ...before, titles: callTitlesOf([answer]) }))
}

const ignored: ReadonlySet<SessionEvent["type"]> = new Set(["text-delta", "reasoning-delta", "tool-progressed"])

const take = (event: SessionEvent): void => {
  const { session_id: id, type, seq } = event
  if (ignored.has(type)) return
  change(id, ({ events, titles }) => ({
    titles,
    events: [...events.filter((known) => known.id !== event.id), event]
      .toSorted((left, right) => left.id - right.id)
      .slice(-mostEvents),
  }))
  // Without a title, the name of the tool is shown.
  if (type === "tool-calls-proposed" && typeof seq === "number") void readTitles(id, seq).catch(() => undefined)
}

/** Follows what sessions do from now on. Returns how to stop. */
export const followActions = (): (() => void) => onStoreEvent((event) => event !== "connected" && take(event))

/** Reads what a session did last. */
export const readAction = async (id: string, closed: AbortSignal): Promise<void> => {
  const { last_event_id: lastId } = await server.target(id)
  await readPast(id, lastId, { signal: closed, onEvent: take, after: Math.max(0, lastId - mostEvents) })
}

/** Returns what a running session does at the moment; undefined if that is not known. */
export const currentAction = (session: Session, now: number): string | undefined => {
  const { events, titles } = seen.value.get(session.id) ?? nothing
  return workingText(session, events, now, titles)
}
