import { type ReadonlySignal, signal } from "@preact/signals"
import type { EventType, SessionEvent } from "../../contracts/event.ts"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import type { Session } from "../../contracts/session/session.ts"
import { startsChildren } from "./blocks.ts"
import { readPast } from "../api/event-stream.ts"
import { Refused } from "../api/request.ts"
import { server } from "../api/server.ts"
import type { TranscriptRow } from "../api/shapes.ts"
import { type LiveText, withDelta } from "./live-text.ts"
import { type Refresher, refresher } from "./refresher.ts"
import { onStoreEvent } from "./store-events.ts"
import { readRows } from "./transcript-rows.ts"

/** With more steps than this, the past is shown from the transcript alone. Its events are read only if somebody wants to see them. */
const longHistory = 40

export interface OpenSession {
  readonly id: string
  readonly detail: ReadonlySignal<SessionDetail | undefined>
  /** The transcript as it grows: every message is fetched once. Undefined before the first answer. */
  readonly rows: ReadonlySignal<readonly TranscriptRow[] | undefined>
  /** The events that are known, in their order, without deltas. */
  readonly events: ReadonlySignal<readonly SessionEvent[]>
  /** The answer that is being written, until the transcript has all of it. */
  readonly live: ReadonlySignal<LiveText | undefined>
  /** The thoughts before the answer that is being written. */
  readonly thinking: ReadonlySignal<LiveText | undefined>
  /** The last output of running calls, by call id. */
  readonly output: ReadonlySignal<ReadonlyMap<string, string>>
  /** Its sub-agents, as they are now. */
  readonly children: ReadonlySignal<readonly Session[]>
  /** Whether the server has no such session. */
  readonly isMissing: ReadonlySignal<boolean>
  readonly refresher: Refresher
  /** Reads all events of the past. */
  readPast(): Promise<void>
  close(): void
}

const createState = () => ({
  detail: signal<SessionDetail | undefined>(undefined),
  rows: signal<readonly TranscriptRow[] | undefined>(undefined),
  events: signal<readonly SessionEvent[]>([]),
  live: signal<LiveText | undefined>(undefined),
  thinking: signal<LiveText | undefined>(undefined),
  output: signal<ReadonlyMap<string, string>>(new Map()),
  children: signal<readonly Session[]>([]),
  isMissing: signal(false),
})
type State = ReturnType<typeof createState>

const settledSeq = ({ rows }: State): number => rows.peek()?.at(-1)?.seq ?? 0

const fetchRows = async (id: string, state: State): Promise<void> => {
  const known = state.rows.peek()
  const rows = await readRows(known ?? [], (after) => server.messages(id, after))
  if (rows !== known) state.rows.value = rows
  for (const live of [state.live, state.thinking])
    if ((live.peek()?.seq ?? 0) <= settledSeq(state)) live.value = undefined
}

/** Keeps the last output of a call until it ends. */
const setOutput = ({ output }: State, { type, call_id: id, message }: SessionEvent): void => {
  if (typeof id !== "string") return
  const next = new Map(output.peek())
  if (type === "tool-finished") next.delete(id)
  else if (typeof message === "string") next.set(id, message)
  output.value = next
}

/** The events that change what is shown about sub-agents: after one, they are read again. */
const changes: ReadonlySet<EventType> = new Set(["run-started", "run-paused", "decision-recorded", "run-finished"])

const isOfChild = ({ children }: State, { type, session_id: id }: SessionEvent): boolean =>
  changes.has(type) && children.peek().some((child) => child.id === id)

const flushMs = 30

/** Takes events in any order and more than once. */
const eventTaker = (state: State) => {
  const known = new Set<number>()
  let fresh: SessionEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    state.events.value = [...state.events.peek(), ...fresh].toSorted((left, right) => left.id - right.id)
    fresh = []
    timer = undefined
  }
  return (event: SessionEvent): boolean => {
    if (known.has(event.id)) return false
    known.add(event.id)
    if (event.type === "text-delta") {
      state.live.value = withDelta(state.live.peek(), event, settledSeq(state))
      return false
    }
    if (event.type === "reasoning-delta") {
      state.thinking.value = withDelta(state.thinking.peek(), event, settledSeq(state))
      return false
    }
    if (event.type === "tool-progressed" || event.type === "tool-finished") setOutput(state, event)
    if (event.type === "tool-progressed") return false
    fresh.push(event)
    timer ??= setTimeout(flush, flushMs)
    return true
  }
}

/** Opens a session and keeps it fresh until it is closed. */
export const openSession = (id: string): OpenSession => {
  const state = createState()
  const closed = new AbortController()
  const take = eventTaker(state)
  const each = refresher(`session ${id}`, async () => {
    if (closed.signal.aborted || state.isMissing.peek()) return
    try {
      const [detail] = await Promise.all([server.session(id), fetchRows(id, state)])
      state.detail.value = detail
      if (startsChildren(state.rows.peek() ?? [])) state.children.value = await server.children(id)
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404) throw error
      state.isMissing.value = true
    }
  })
  let past: Promise<void> | undefined
  const readAll = async (): Promise<void> => {
    const { last_event_id: lastId } = await server.target(id)
    await readPast(id, lastId, { signal: closed.signal, onEvent: take })
  }
  const stopListening = onStoreEvent((event) => {
    if (event === "connected") each.soon()
    else if (event.session_id === id ? take(event) : isOfChild(state, event)) each.soon()
  })
  const open: OpenSession = {
    id,
    ...state,
    refresher: each,
    readPast: () => {
      past ??= readAll().catch(() => {
        past = undefined
      })
      return past
    },
    close: () => {
      stopListening()
      closed.abort()
    },
  }
  void each.now().then(() => ((state.detail.peek()?.steps_taken ?? 0) <= longHistory ? open.readPast() : undefined))
  return open
}
