import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { appendEvents } from "./append-events.ts"
import { compactDeltas } from "../tables/messages/compact-deltas.ts"
import type { Database } from "../database/database.ts"
import type { EventFeeds } from "./event-feeds.ts"
import { nextFreePosition } from "./store-wide/event-position.ts"
import { followEvents } from "./follow-events.ts"
import { lockFreeSessions, writeToSession } from "../tables/sessions/lock-session.ts"
import { followStore } from "./store-wide/follow-store.ts"
import { readEvents } from "./read-events.ts"
import type { NewEvent } from "./new-event.ts"
import type { SessionPatch } from "../schema/session-table.ts"

export const createEventLog = (database: Database, feeds: EventFeeds) => {
  const lastId = async (sessionId: string): Promise<number> =>
    (await database.read((db) => readEvents(db, sessionId, { after: Number.MAX_SAFE_INTEGER, limit: 1 }))).lastId

  return {
    /** Appends events in order, in one transaction; the ids of a session have no gaps. Patches the session's row with them. Returns the last id. */
    append: async (sessionId: string, events: readonly NewEvent[], patch?: SessionPatch) => {
      if (events.length === 0 && patch === undefined) return lastId(sessionId)
      const last = await database.write((db) => appendEvents(db, { sessionId, events, at: database.now(), patch }))
      if (last === undefined) return lastId(sessionId)
      feeds.changed(sessionId)
      return last
    },

    /** Locks the sessions that no other transaction has locked, until the end of the transaction. */
    lockFree: (sessionIds: readonly string[]) => database.write((db) => lockFreeSessions(db, sessionIds)),

    /**
     * Returns events with id > `after`, in order. An `after` below `firstId - 1` or above `lastId` is a cursor to erased events. Compaction leaves no
     * gap: the remaining event replaces the removed ones. If there was never an event, `firstId` is 1 and `lastId` is 0.
     */
    read: async (sessionId: string, options: { after: number; limit: number }) => {
      checkCursor(options.after)
      if (!Number.isSafeInteger(options.limit) || options.limit < 1)
        throw new AdjutantError("invalid_argument", "limit must be a whole number of at least 1")
      return database.read((db) => readEvents(db, sessionId, options))
    },

    /** Returns the id of the newest event; 0 if there is none. */
    lastId,

    /**
     * Removes the deltas of a finished answer, since its whole text is in the transcript. Later readers get one delta of each type with the text from
     * the transcript, with the id of the last delta and `whole: true`. Without the transcript's row nothing is removed.
     */
    compactDeltas: (sessionId: string, seq: number) =>
      writeToSession(database, sessionId, (db, session) => compactDeltas(db, session, seq)),

    /**
     * Follows the log after the id `after`, across processes, until the signal fires. Nothing is buffered for a slow consumer: it continues to read
     * from its position.
     */
    follow: (sessionId: string, options: { after: number; signal: AbortSignal }) => {
      checkCursor(options.after)
      return followEvents(feeds, sessionId, options)
    },

    /** Returns the cursor at which a reader of all sessions starts to get only what happens from now on. */
    storeCursor: () => database.read(nextFreePosition),

    /** Follows the events of all sessions from a cursor on, across processes, until the signal fires. */
    followStore: (options: { from: number; signal: AbortSignal }) => followStore(database, feeds, options),
  }
}

export type EventLog = ReturnType<typeof createEventLog>

const checkCursor = (after: number): void => {
  if (!Number.isSafeInteger(after) || after < 0)
    throw new AdjutantError("invalid_argument", "the event id to read after must be a whole number of at least 0")
}
