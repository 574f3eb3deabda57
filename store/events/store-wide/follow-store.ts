import type { SessionEvent } from "../../../contracts/event.ts"
import type { Database } from "../../database.ts"
import type { EventFeeds } from "../event-feeds.ts"
import { openPosition } from "./event-position.ts"
import { readStoreEvents, type StoreEvent } from "./read-store-events.ts"

/** Events of all sessions, and the cursor with which a reader continues after them. */
export interface StoreBatch {
  readonly events: readonly SessionEvent[]
  /** A reader that starts here gets every event that comes after this batch, and may get some again. */
  readonly cursor: number
}

const eventsPerPage = 256

/** The last event of each session that a follower has received, for those that it would otherwise receive again. */
class Received {
  readonly #last = new Map<string, { readonly id: number; readonly position: number }>()

  isNew({ event }: StoreEvent): boolean {
    return event.id > (this.#last.get(event.session_id)?.id ?? 0)
  }

  add({ event, position }: StoreEvent): void {
    this.#last.set(event.session_id, { id: event.id, position })
  }

  /** Forgets sessions whose events are all before the position. */
  forgetBefore(position: number): void {
    for (const [id, last] of this.#last) if (last.position < position) this.#last.delete(id)
  }
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
  const received = new Received()
  const changes = feeds.watch(signal)
  let cursor = from
  yield { events: [], cursor }
  while (!signal.aborted && !feeds.isClosed()) {
    const seen = changes.generation()
    // Read before the events: what was still open then is read again in the next round.
    const open = await database.read(openPosition)
    let after: StoreEvent | undefined
    for (;;) {
      const page = await database.read((db) => readStoreEvents(db, { from: cursor, after, limit: eventsPerPage }))
      const fresh = page.filter((event) => received.isNew(event))
      for (const event of fresh) received.add(event)
      if (fresh.length > 0) yield { events: fresh.map(({ event }) => event), cursor }
      after = page.at(-1)
      if (page.length < eventsPerPage) break
    }
    if (open > cursor) {
      cursor = open
      received.forgetBefore(cursor)
      yield { events: [], cursor }
    }
    await changes.next(seen)
  }
}
