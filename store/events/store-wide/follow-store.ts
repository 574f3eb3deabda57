import type { SessionEvent } from "../../../contracts/event.ts"
import { type Database, isPostgres } from "../../database/database.ts"
import type { EventFeeds } from "../event-feeds.ts"
import { openWriters } from "./event-position.ts"
import { MissingPositions, mostMissing } from "./missing-positions.ts"
import { readPositions, readStoreEvents, type StoreEvent } from "./read-store-events.ts"

/** Events of all sessions, and the cursor with which a reader continues after them. */
export interface StoreBatch {
  readonly events: readonly SessionEvent[]
  /** A reader that starts here gets every event that comes after this batch, and may get some again. */
  readonly cursor: number
}

const eventsPerPage = 256

/** Reads events in the order of positions, and those that are committed after later ones. */
class StoreReader {
  readonly #database: Database
  readonly #from: number
  readonly #missing = new MissingPositions()
  #after: StoreEvent | undefined
  /** Writers of SQLite take turns: their events are committed in order. */
  #takesTurns = true

  constructor(database: Database, from: number) {
    this.#database = database
    this.#from = from
  }

  /** Finds out which events before the start may still be committed. */
  async open(): Promise<void> {
    const from = Math.max(this.#from - mostMissing, 0)
    await this.#database.read(async (db) => {
      this.#takesTurns = !isPostgres(db)
      if (this.#takesTurns || (await openWriters(db)).size === 0) return
      const present = await readPositions(db, { from, before: this.#from })
      this.#missing.note({ from, present: [...present, this.#from] })
    })
  }

  /** Where another reader continues: every event that this one has not read is there, or later. */
  get cursor(): number {
    return this.#missing.lowest ?? (this.#after === undefined ? this.#from : this.#after.position + 1)
  }

  /** Returns the next events, and whether there may be more. */
  readonly next = (): Promise<{ readonly events: readonly SessionEvent[]; readonly isMore: boolean }> =>
    this.#database.read(async (db) => {
      const { positions: missing } = this.#missing
      const open = missing.length === 0 ? new Set<string>() : await openWriters(db)
      const page = await readStoreEvents(db, { from: this.#from, after: this.#after, missing, limit: eventsPerPage })
      const isFull = page.length === eventsPerPage
      const present = page.map(({ position }) => position)
      this.#missing.found(present)
      // A full page may lack some of them.
      if (!isFull) this.#missing.settle(open)
      const from = this.#after === undefined ? this.#from : this.#after.position + 1
      const last = page.at(-1)
      if (last !== undefined && last.position >= from) this.#after = last
      const hasGaps = !this.#takesTurns && this.#missing.note({ from, present })
      return { events: page.map(({ event }) => event), isMore: isFull || hasGaps }
    })
}

/**
 * Yields the events of all sessions from a position on, until the signal fires or the store is closed. Events of one session come in their order; those of
 * different sessions in any order. The first batch is empty and has the cursor at which the follower starts.
 */
export async function* followStore(
  database: Database,
  feeds: EventFeeds,
  { from, signal }: { readonly from: number; readonly signal: AbortSignal },
): AsyncGenerator<StoreBatch, void> {
  const changes = feeds.watch(signal)
  const reader = new StoreReader(database, from)
  await reader.open()
  let { cursor } = reader
  yield { events: [], cursor }
  while (!signal.aborted && !feeds.isClosed()) {
    const seen = changes.generation()
    for (;;) {
      const { events, isMore } = await reader.next()
      if (events.length > 0) yield { events, cursor }
      if (!isMore) break
    }
    if (reader.cursor > cursor) {
      cursor = reader.cursor
      yield { events: [], cursor }
    }
    await changes.next(seen)
  }
}
