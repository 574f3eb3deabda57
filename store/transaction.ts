import { createClaims } from "./tables/claims.ts"
import { createDailyUsage } from "./tables/limits/daily-usage.ts"
import type { Database, Writer } from "./database.ts"
import type { EventFeeds } from "./events/event-feeds.ts"
import { createEventLog } from "./events/event-log.ts"
import { createInbox } from "./tables/messages/inbox.ts"
import { createMedia } from "./tables/messages/media.ts"
import { createMessages } from "./tables/messages/messages.ts"
import { createPauses } from "./tables/pauses/pauses.ts"
import { createProviderCalls } from "./tables/limits/provider-calls.ts"
import { createRuns } from "./tables/sessions/runs.ts"
import { createSessions } from "./tables/sessions/sessions.ts"
import type { Store, WritableStore } from "./store.ts"
import { createUsageLedger } from "./tables/usage-ledger.ts"

const inside = (database: Database, db: Writer): Database => ({
  ...database,
  read: (query) => query(db),
  write: (body) => body(db),
})

const writableStore = (database: Database, feeds: EventFeeds): WritableStore => ({
  sessions: createSessions(database, feeds.changed),
  runs: createRuns(database),
  messages: createMessages(database),
  media: createMedia(database),
  inbox: createInbox(database),
  claims: createClaims(database),
  pauses: createPauses(database),
  usage: createUsageLedger(database),
  dailyUsage: createDailyUsage(database),
  providerCalls: createProviderCalls(database),
  events: createEventLog(database, feeds),
})

/** Creates the store's `transaction`. Followers receive a transaction's events after its commit. */
export const createTransaction =
  (database: Database, feeds: EventFeeds): Store["transaction"] =>
  async (body, outlasts) => {
    const changed = new Set<string>()
    const later: EventFeeds = { ...feeds, changed: (sessionId) => void changed.add(sessionId) }
    const result = await database.write((db) => body(writableStore(inside(database, db), later)), outlasts)
    for (const sessionId of changed) feeds.changed(sessionId)
    return result
  }
