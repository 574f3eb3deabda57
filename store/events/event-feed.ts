import type { SessionEvent } from "../../contracts/event.ts"
import type { EventPage } from "./read-events.ts"

const pageSize = 256
const tailSize = 512

export type ReadPage = (range: { readonly after: number; readonly limit: number }) => Promise<EventPage>

/**
 * The newest events of one session, read once for all who follow it. Who is further behind reads pages of its own, so that a slow
 * follower costs no memory.
 */
export class EventFeed {
  /** Grows with every refresh: who remembers it before reading misses nothing. */
  generation = 0
  readonly #readPage: ReadPage
  readonly #waiting = new Set<() => void>()
  /** All events with `#floor < id <= #end`. */
  #tail: SessionEvent[] = []
  #floor = 0
  #end = 0
  #running: Promise<void> | undefined
  #dirty = false
  #failure: { readonly error: unknown } | undefined
  #loaded = false

  constructor(readPage: ReadPage) {
    this.#readPage = readPage
  }

  /** Whether a refresh is due before the first read: never loaded, or the last one failed. */
  get isStale(): boolean {
    return this.generation === 0 || this.#failure !== undefined
  }

  /** Whether the log's head says that a refresh would change something. */
  isBehind(head: Pick<EventPage, "firstId" | "lastId">): boolean {
    return head.lastId !== this.#end || head.firstId > this.#floor + 1
  }

  /** Reads what is new and wakes those who wait. Does not reject: those who wait get the failure. */
  refresh(): Promise<void> {
    this.#dirty = true
    this.#running ??= this.#refreshUntilClean().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** The next events after an id, or none. Rejects where the last refresh failed. */
  async next(after: number): Promise<readonly SessionEvent[]> {
    if (this.#failure !== undefined) throw this.#failure.error
    if (after < this.#floor) {
      const { events } = await this.#readPage({ after, limit: pageSize })
      if (events.length > 0) return events
    }
    return this.#tail.slice(this.#tail.findLastIndex((event) => event.id <= after) + 1)
  }

  /** Calls back once, as soon as the generation is no longer `seen`. Returns a function that cancels the call. */
  onChange(seen: number, wake: () => void): () => void {
    if (seen !== this.generation) wake()
    else this.#waiting.add(wake)
    return () => this.#waiting.delete(wake)
  }

  wake(): void {
    this.generation += 1
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }

  async #refreshUntilClean(): Promise<void> {
    while (this.#dirty) {
      this.#dirty = false
      try {
        await this.#pull()
        this.#failure = undefined
      } catch (error) {
        this.#failure = { error }
      }
      this.wake()
    }
  }

  async #pull(): Promise<void> {
    if (!this.#loaded) {
      const { lastId } = await this.#readPage({ after: Number.MAX_SAFE_INTEGER, limit: 1 })
      this.#restartAt(lastId)
      this.#loaded = true
      return
    }
    for (;;) {
      const page = await this.#readPage({ after: this.#end, limit: pageSize })
      const erased = page.lastId < this.#end || page.firstId > this.#floor + 1
      if (erased) return this.#restartAt(page.lastId)
      this.#tail.push(...page.events)
      this.#end = page.events.at(-1)?.id ?? this.#end
      const dropped = this.#tail.splice(0, Math.max(0, this.#tail.length - tailSize))
      this.#floor = dropped.at(-1)?.id ?? this.#floor
      if (page.events.length < pageSize) return
    }
  }

  #restartAt(lastId: number): void {
    this.#tail = []
    this.#floor = lastId
    this.#end = lastId
  }
}
