import type { Database } from "../database/database.ts"
import { createCommitPoll } from "./commit-poll.ts"
import { EventFeed } from "./event-feed.ts"
import { type EventPage, readEvents } from "./read-events.ts"
import { createStoreWatchers } from "./store-wide/store-changes.ts"

/** Below the limit for the parameters of one statement. */
const idsPerQuery = 1000

/** Returns the first and last event ids of those sessions that exist. */
const readHeads = async (
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<EventPage, "firstId" | "lastId">>> => {
  const heads = new Map<string, Pick<EventPage, "firstId" | "lastId">>()
  for (let start = 0; start < ids.length; start += idsPerQuery) {
    const rows = await database.read((db) =>
      db
        .selectFrom("sessions")
        .select(["id", "first_event", "next_event"])
        .where("id", "in", ids.slice(start, start + idsPerQuery))
        .execute(),
    )
    for (const row of rows) heads.set(row.id, { firstId: row.first_event, lastId: row.next_event - 1 })
  }
  return heads
}

interface Followed {
  readonly feed: EventFeed
  followers: number
}

/** Creates feeds for the sessions that have followers. One poll for all feeds detects commits of other processes. */
export const createEventFeeds = (database: Database, pollIntervalMs: number) => {
  const followed = new Map<string, Followed>()
  let closed = false
  const watchers = createStoreWatchers(() => stopIfUnused())

  const stopIfUnused = (): void => {
    if (followed.size === 0 && !watchers.isUsed) poll.stop()
  }

  const poll = createCommitPoll(database, pollIntervalMs, {
    onCommit: async () => {
      watchers.wake()
      const heads = await readHeads(database, [...followed.keys()])
      for (const [id, { feed }] of followed)
        if (feed.isBehind(heads.get(id) ?? { firstId: 1, lastId: 0 })) void feed.refresh()
    },
    // Each refresh fails in the same way and passes the failure to its followers.
    onFailure: () => {
      watchers.wake()
      for (const { feed } of followed.values()) void feed.refresh()
    },
  })

  return {
    /** Returns the loaded feed of a session; every `join` requires a `leave`. */
    join: async (sessionId: string) => {
      const entry = followed.get(sessionId) ?? {
        feed: new EventFeed((range) => database.read((db) => readEvents(db, sessionId, range))),
        followers: 0,
      }
      entry.followers += 1
      followed.set(sessionId, entry)
      if (!closed) poll.start()
      if (entry.feed.isStale) await entry.feed.refresh()
      return entry.feed
    },
    leave: (sessionId: string) => {
      const entry = followed.get(sessionId)
      if (entry === undefined) return
      entry.followers -= 1
      if (entry.followers === 0) followed.delete(sessionId)
      stopIfUnused()
    },
    /** Must be called after a commit of this process. */
    changed: (sessionId: string) => {
      void followed.get(sessionId)?.feed.refresh()
      watchers.wake()
      database.notifyReaders?.()
    },
    /** Watches for events of any session until the signal fires. */
    watch: (signal: AbortSignal) => {
      if (!closed) poll.start()
      return watchers.watch(signal)
    },
    isClosed: () => closed,
    close: () => {
      closed = true
      poll.stop()
      for (const { feed } of followed.values()) feed.wake()
      watchers.wake()
    },
  }
}

export type EventFeeds = ReturnType<typeof createEventFeeds>
