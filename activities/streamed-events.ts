import type { NewEvent, Store } from "../store/store.ts"

/**
 * Events that only show progress: streamed text, and the progress of tools. One writer per process collects those of all sessions, so
 * that a hundred streams take one transaction at a time, and records never queue behind more than that.
 */
export interface StreamedEvents {
  /** Queues an event. Neighbours are joined where the later one continues or replaces the earlier one. */
  add(sessionId: string, event: NewEvent): void
  /** Resolves when what the session had queued is written, or could not be. */
  flush(sessionId: string): Promise<void>
}

const collectMs = 100
/** How many sessions one transaction may lock. */
const sessionsPerWrite = 20
/** Characters that one event may grow to while the store is slow. */
const maxEventCharacters = 32_000
/** Characters that a session may have queued; what comes beyond is not shown. The transcript gets it all the same. */
const maxQueuedCharacters = 500_000

const textOf = ({ data }: NewEvent): string => (typeof data["text"] === "string" ? data["text"] : "")

const isSameStream = (left: NewEvent, right: NewEvent): boolean =>
  left.type === right.type &&
  left.runId === right.runId &&
  left.data["seq"] === right.data["seq"] &&
  left.data["attempt"] === right.data["attempt"]

/** Returns one event for both, or undefined where both have to be shown. */
const joined = (earlier: NewEvent, later: NewEvent): NewEvent | undefined => {
  if (!isSameStream(earlier, later)) return undefined
  if (later.type === "tool-progressed") return earlier.data["call_id"] === later.data["call_id"] ? later : undefined
  const text = textOf(earlier) + textOf(later)
  return text.length > maxEventCharacters ? undefined : { ...later, data: { ...later.data, text } }
}

/** What one session has queued, oldest first. */
interface Queue {
  readonly events: NewEvent[]
  characters: number
  isFull: boolean
}

/** Once one does not fit, the rest is left out as well: text with a gap in it would read as another text. */
const enqueue = (queue: Queue, event: NewEvent): void => {
  queue.isFull ||= queue.characters + textOf(event).length > maxQueuedCharacters
  if (queue.isFull) return
  queue.characters += textOf(event).length
  const last = queue.events.at(-1)
  const both = last === undefined ? undefined : joined(last, event)
  if (both === undefined) queue.events.push(event)
  else queue.events[queue.events.length - 1] = both
}

/** Removes and returns the next queues to write: those with a waiting client first. */
const takeQueues = (queues: Map<string, Queue>, awaited: Set<string>): ReadonlyMap<string, Queue> => {
  const due = [...new Set([...awaited, ...queues.keys()])].filter((id) => queues.has(id)).slice(0, sessionsPerWrite)
  const taken = new Map<string, Queue>()
  // One order in all processes: two transactions that lock the same sessions wait for each other, but never in a circle.
  for (const id of due.toSorted()) {
    const queue = queues.get(id)
    if (queue !== undefined) taken.set(id, queue)
    queues.delete(id)
    awaited.delete(id)
  }
  return taken
}

/** Creates the one writer of streamed events of a process. A failed write fails no call: `onFailure` receives the error, and the events are lost. */
export const createStreamedEvents = (
  store: Pick<Store, "transaction">,
  onFailure: (error: unknown) => void,
): StreamedEvents => {
  const queues = new Map<string, Queue>()
  /** Sessions with a waiting client, which come first. */
  const awaited = new Set<string>()
  let writing: { readonly sessions: ReadonlySet<string>; readonly done: Promise<void> } | undefined
  let timer: NodeJS.Timeout | undefined

  const write = async (batch: ReadonlyMap<string, Queue>): Promise<void> => {
    try {
      await store.transaction(async ({ events }) => {
        for (const [sessionId, queue] of batch) await events.append(sessionId, queue.events)
      }, "crash")
    } catch (error) {
      onFailure(error)
    }
  }

  /** Starts the next transaction, unless one is on its way. What was added meanwhile waits for its turn, or for the timer where nobody waits. */
  const writeNext = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (writing !== undefined || queues.size === 0) return
    const batch = takeQueues(queues, awaited)
    const done = write(batch).then(() => {
      writing = undefined
      if (awaited.size > 0) writeNext()
      else writeSoon()
    })
    writing = { sessions: new Set(batch.keys()), done }
  }

  const writeSoon = (): void => {
    if (queues.size > 0) timer ??= setTimeout(writeNext, queues.size > sessionsPerWrite ? 0 : collectMs)
  }

  return {
    add(sessionId, event) {
      const queue = queues.get(sessionId) ?? { events: [], characters: 0, isFull: false }
      queues.set(sessionId, queue)
      enqueue(queue, event)
      writeSoon()
    },
    async flush(sessionId) {
      while (queues.has(sessionId) || writing?.sessions.has(sessionId) === true) {
        if (queues.has(sessionId)) awaited.add(sessionId)
        writeNext()
        await writing?.done
      }
    },
  }
}
