import type { Database, Durability, Writer } from "./database/database.ts"
import type { EventFeeds } from "./events/event-feeds.ts"
import { createWritableStore, type WritableStore } from "./writable-store.ts"

const inside = (database: Database, db: Writer): Database => ({
  ...database,
  read: (query) => query(db),
  write: (body) => body(db),
})

/** Creates the store's `transaction`. Followers receive a transaction's events after its commit. */
export const createTransaction =
  (database: Database, feeds: EventFeeds) =>
  async <T>(body: (store: WritableStore) => Promise<T>, outlasts?: Durability): Promise<T> => {
    const changed = new Set<string>()
    const later: EventFeeds = { ...feeds, changed: (sessionId) => void changed.add(sessionId) }
    const result = await database.write((db) => body(createWritableStore(inside(database, db), later)), outlasts)
    for (const sessionId of changed) feeds.changed(sessionId)
    return result
  }
