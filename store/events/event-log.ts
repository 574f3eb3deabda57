import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { appendEvents } from "./append-events.ts"
import { compactDeltas } from "./compact-deltas.ts"
import type { Database } from "../database.ts"
import type { EventFeeds } from "./event-feeds.ts"
import { followEvents } from "./follow-events.ts"
import { writeToSession } from "../tables/sessions/lock-session.ts"
import { type EventPage, readEvents } from "./read-events.ts"
import type { SessionEvent } from "../../contracts/event.ts"
import type { NewEvent } from "./new-event.ts"

export interface EventLog {
  /** Appends in order, in one transaction; ids continue per session without gaps. Returns the last id. */
  append(sessionId: string, events: readonly NewEvent[]): Promise<number>
  /**
   * Events with id > `after`, in order. A reader whose `after` is below `firstId - 1` or above `lastId` has a cursor of something that
   * is gone. Compacting makes no gap: what it leaves replaces what it removes. `firstId` is 1, `lastId` 0 where there was never an event.
   */
  read(sessionId: string, options: { after: number; limit: number }): Promise<EventPage>
  /** Id of the newest event, 0 where there is none. */
  lastId(sessionId: string): Promise<number>
  /**
   * Drops the deltas of a finished answer: its whole text is in the transcript. Readers that come later get one delta of each type made
   * from it, in the last one's place and with `whole: true`. Without the transcript's row nothing is dropped.
   */
  compactDeltas(sessionId: string, seq: number): Promise<void>
  /**
   * Follows the log from `after` on, across processes, until the signal fires. A slow consumer reads on from where it was: nothing is
   * buffered for it.
   */
  follow(sessionId: string, options: { after: number; signal: AbortSignal }): AsyncIterable<SessionEvent>
}

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
      writeToSession(database, sessionId, (db, session) => compactDeltas(db, session, seq)),

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
