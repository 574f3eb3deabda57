import type { Database } from "./database/database.ts"
import type { EventFeeds } from "./events/event-feeds.ts"
import { createEventLog, type EventLog } from "./events/event-log.ts"
import { createClaims } from "./tables/claims.ts"
import { createDailyUsage } from "./tables/limits/daily-usage.ts"
import { createProviderCalls } from "./tables/limits/provider-calls.ts"
import { createInbox } from "./tables/messages/inbox.ts"
import { createMedia } from "./tables/messages/media.ts"
import { createMessages } from "./tables/messages/messages.ts"
import { createPauses } from "./tables/pauses/pauses.ts"
import { createRuns } from "./tables/sessions/runs.ts"
import { createSessions } from "./tables/sessions/sessions.ts"
import { createTouchedFiles } from "./tables/files/touched-files.ts"
import { createUsageLedger } from "./tables/usage-ledger.ts"

/** Creates the parts of a store that can be written in one transaction. */
export const createWritableStore = (database: Database, feeds: EventFeeds) => ({
  sessions: createSessions(database, feeds.changed),
  runs: createRuns(database),
  messages: createMessages(database),
  media: createMedia(database),
  touchedFiles: createTouchedFiles(database),
  inbox: createInbox(database),
  events: createEventLog(database, feeds),
  claims: createClaims(database),
  pauses: createPauses(database),
  usage: createUsageLedger(database),
  dailyUsage: createDailyUsage(database),
  providerCalls: createProviderCalls(database),
})

/** The parts of a store as they look from inside a transaction. */
export type WritableStore = Omit<ReturnType<typeof createWritableStore>, "events"> & {
  readonly events: Pick<EventLog, "append" | "compactDeltas" | "lockFree">
}
