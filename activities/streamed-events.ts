import { setTimeout as delay } from "node:timers/promises"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { NewEvent, Store } from "../store/store.ts"
import { enqueue, newStreamQueue, type StreamQueue } from "./stream-queue.ts"

/**
 * Events that show progress: streamed text, the progress of tools, and that a step has begun. One writer per process collects those of all sessions, so
 * that a hundred streams take one transaction at a time, and records never queue behind more than that.
 */
export interface StreamedEvents {
  /** Queues an event. Neighbours are joined where the later one continues or replaces the earlier one. */
  add(sessionId: string, event: NewEvent): void
  /** Resolves when what the session had queued is written, or could not be. */
  flush(sessionId: string): Promise<void>
  /**
   * Removes and returns what the session has queued, in order, for a transaction that writes it with something else. Events with ordinals that could not be
   * written come first: they are never lost, so who adds one takes what is left.
   */
  take(sessionId: string): Promise<readonly NewEvent[]>
}

const collectMs = 100
/** How long the text of a session that another transaction has locked waits before the next try. */
const heldPauseMs = 50
/** How long it waits in all before it is left out. */
const longestHeldMs = 30_000
/** How many sessions one transaction may lock. */
const sessionsPerWrite = 20
const isDue = (queue: StreamQueue | undefined): boolean =>
  queue !== undefined && (queue.held === undefined || queue.held.until <= performance.now())

/** Removes and returns the next queues to write: those with a waiting client first. */
const takeQueues = (queues: Map<string, StreamQueue>, awaited: Set<string>): ReadonlyMap<string, StreamQueue> => {
  const due = [...new Set([...awaited, ...queues.keys()])]
    .filter((id) => isDue(queues.get(id)))
    .slice(0, sessionsPerWrite)
  const taken = new Map<string, StreamQueue>()
  // One order in all processes: two transactions that lock the same sessions wait for each other, but never in a circle.
  for (const id of due.toSorted()) {
    const queue = queues.get(id)
    if (queue !== undefined) taken.set(id, queue)
    queues.delete(id)
    awaited.delete(id)
  }
  return taken
}

/**
 * Writes what is queued for the sessions that no other transaction has locked, and returns the others. It waits for no other transaction: meanwhile, it
 * would hold the locks of its other sessions, which records need.
 */
const writeFree = (
  store: Pick<Store, "transaction">,
  batch: ReadonlyMap<string, StreamQueue>,
): Promise<readonly string[]> =>
  store.transaction(async ({ events }) => {
    const { locked, held } = await events.lockFree([...batch.keys()])
    for (const sessionId of locked) await events.append(sessionId, batch.get(sessionId)?.events ?? [])
    return held
  }, "crash")

const heldTooLong = (): Error =>
  new AdjutantError("storage_failed", "another process has locked a session for too long; its text is left out")

const isHeldTooLong = ({ held }: StreamQueue): boolean =>
  held !== undefined && performance.now() - held.since >= longestHeldMs

/** Puts the text of a locked session back, in front of what came meanwhile, unless it has waited for too long. */
const putBack = (queues: Map<string, StreamQueue>, sessionId: string, queue: StreamQueue): void => {
  const now = performance.now()
  if (isHeldTooLong(queue)) return
  queue.held = { since: queue.held?.since ?? now, until: now + heldPauseMs }
  for (const event of queues.get(sessionId)?.events ?? []) enqueue(queue, event)
  queues.set(sessionId, queue)
}

interface Writing {
  readonly store: Pick<Store, "transaction">
  readonly queues: Map<string, StreamQueue>
  /** Events with ordinals of writes that failed. */
  readonly unwritten: Map<string, readonly NewEvent[]>
  onFailure(error: unknown): void
}

const keepUnwritten = ({ unwritten }: Writing, sessionId: string, events: readonly NewEvent[] = []): void => {
  const kept = [...(unwritten.get(sessionId) ?? []), ...events.filter(({ ordinal }) => ordinal !== undefined)]
  if (kept.length > 0) unwritten.set(sessionId, kept)
}

const writeBatch = async (parts: Writing, batch: ReadonlyMap<string, StreamQueue>): Promise<void> => {
  const { store, queues, onFailure } = parts
  try {
    const held = await writeFree(store, batch)
    for (const sessionId of held) putBack(queues, sessionId, batch.get(sessionId) ?? newStreamQueue())
    const lost = held.filter((sessionId) => !queues.has(sessionId))
    for (const sessionId of lost) keepUnwritten(parts, sessionId, batch.get(sessionId)?.events)
    if (lost.length > 0) onFailure(heldTooLong())
  } catch (error) {
    for (const [sessionId, { events }] of batch) keepUnwritten(parts, sessionId, events)
    onFailure(error)
  }
}

/** Creates the one writer of streamed events of a process. A failed write fails no call: `onFailure` receives the error, and the events are lost. */
export const createStreamedEvents = (
  store: Pick<Store, "transaction">,
  onFailure: (error: unknown) => void,
): StreamedEvents => {
  const queues = new Map<string, StreamQueue>()
  /** Sessions with a waiting client, which come first. */
  const awaited = new Set<string>()
  const unwritten = new Map<string, readonly NewEvent[]>()
  const parts = { store, queues, unwritten, onFailure }
  let writing: { readonly sessions: ReadonlySet<string>; readonly done: Promise<void> } | undefined
  let timer: NodeJS.Timeout | undefined

  /** Starts the next transaction, unless one is on its way. What was added meanwhile waits for its turn, or for the timer where nobody waits. */
  const writeNext = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (writing !== undefined || queues.size === 0) return
    const batch = takeQueues(queues, awaited)
    if (batch.size === 0) return writeSoon()
    const done = writeBatch(parts, batch).then(() => {
      writing = undefined
      if (awaited.size > 0) writeNext()
      else writeSoon()
    })
    writing = { sessions: new Set(batch.keys()), done }
  }

  const writeSoon = (): void => {
    if (queues.size === 0 || timer !== undefined) return
    const due = [...queues.values()].filter(isDue).length
    timer = setTimeout(writeNext, due > sessionsPerWrite ? 0 : collectMs)
  }

  return {
    add(sessionId, event) {
      const queue = queues.get(sessionId) ?? newStreamQueue()
      queues.set(sessionId, queue)
      enqueue(queue, event)
      writeSoon()
    },
    async flush(sessionId) {
      while (queues.has(sessionId) || writing?.sessions.has(sessionId) === true) {
        if (queues.has(sessionId)) awaited.add(sessionId)
        writeNext()
        await (writing?.done ?? delay(heldPauseMs))
      }
    },
    async take(sessionId) {
      while (writing?.sessions.has(sessionId) === true) await writing.done
      const events = [...(unwritten.get(sessionId) ?? []), ...(queues.get(sessionId)?.events ?? [])]
      unwritten.delete(sessionId)
      queues.delete(sessionId)
      awaited.delete(sessionId)
      return events
    },
  }
}
