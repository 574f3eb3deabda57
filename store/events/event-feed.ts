import type { SessionEvent } from "../../contracts/event.ts"
import type { EventPage } from "./read-events.ts"

const pageSize = 256
const tailSize = 512

export type PageReader = (range: { readonly after: number; readonly limit: number }) => Promise<EventPage>

/**
 * The newest events of one session, read once for all its followers. A follower that is further behind reads its own pages, so that a slow
 * follower needs no memory.
 */
export class EventFeed {
  /** Increases with every refresh. A follower that notes it before reading misses nothing. */
  generation = 0
  readonly #readPage: PageReader
  readonly #waiting = new Set<() => void>()
  /** All events with `#floor < id <= #end`. */
  #tail: SessionEvent[] = []
  #floor = 0
  #end = 0
  #running: Promise<void> | undefined
  #dirty = false
  #failure: { readonly error: unknown } | undefined
  #loaded = false

  constructor(readPage: PageReader) {
    this.#readPage = readPage
  }

  /** Returns whether a refresh is required before the first read: the feed was never loaded, or its last refresh failed. */
  get isStale(): boolean {
    return this.generation === 0 || this.#failure !== undefined
  }

  /** Returns whether a refresh would change something, according to the log's head. */
  isBehind(head: Pick<EventPage, "firstId" | "lastId">): boolean {
    return head.lastId !== this.#end || head.firstId > this.#floor + 1
  }

  /** Reads new events and wakes waiting followers. Does not reject: the waiting followers get the failure. */
  refresh(): Promise<void> {
    this.#dirty = true
    this.#running ??= this.#refreshUntilClean().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Returns the next events after an id, or none. Rejects if the last refresh failed. */
  async next(after: number): Promise<readonly SessionEvent[]> {
    if (this.#failure !== undefined) throw this.#failure.error
    if (after < this.#floor) {
      const { events } = await this.#readPage({ after, limit: pageSize })
      if (events.length > 0) return events
    }
    return this.#tail.slice(this.#tail.findLastIndex((event) => event.id <= after) + 1)
  }

  /** Calls `wake` once, as soon as the generation is no longer `seen`. Returns a function that cancels the call. */
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
