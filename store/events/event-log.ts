import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { appendEvents } from "./append-events.ts"
import { compactDeltas } from "./compact-deltas.ts"
import type { Database } from "../database.ts"
import type { EventFeeds } from "./event-feeds.ts"
import { followEvents } from "./follow-events.ts"
import { lockSession } from "../tables/sessions/lock-session.ts"
import { readEvents } from "./read-events.ts"
import type { EventLog } from "../store.ts"

export const createEventLog = (database: Database, feeds: EventFeeds): EventLog => {
  const lastId = async (sessionId: string): Promise<number> =>
    (await database.read((db) => readEvents(db, sessionId, { after: Number.MAX_SAFE_INTEGER, limit: 1 }))).lastId

  return {
    append: async (sessionId, events) => {
      if (events.length === 0) return lastId(sessionId)
      const last = await database.write((db) => appendEvents(db, { sessionId, events, at: database.now() }))
      if (last === undefined) return lastId(sessionId)
      feeds.changed(sessionId)
      return last
    },

    read: async (sessionId, options) => {
      checkCursor(options.after)
      if (!Number.isSafeInteger(options.limit) || options.limit < 1)
        throw new AdjutantError("invalid_argument", "limit must be a whole number of at least 1.")
      return database.read((db) => readEvents(db, sessionId, options))
    },

    lastId,

    compactDeltas: (sessionId, seq) =>
      database.write(async (db) => {
        const session = await lockSession(db, sessionId)
        if (session !== undefined) await compactDeltas(db, session, seq)
      }),

    follow: (sessionId, options) => {
      checkCursor(options.after)
      return followEvents(feeds, sessionId, options)
    },
  }
}

const checkCursor = (after: number): void => {
  if (!Number.isSafeInteger(after) || after < 0)
    throw new AdjutantError("invalid_argument", "The event id to read after must be a whole number of at least 0.")
}
