import type { Database } from "../database.ts"
import { createCommitPoll } from "./commit-poll.ts"
import { EventFeed } from "./event-feed.ts"
import { readEvents } from "./read-events.ts"
import { readHeads } from "./read-heads.ts"

export interface EventFeeds {
  /** The session's feed, loaded; every `join` needs its `leave`. */
  join(sessionId: string): Promise<EventFeed>
  leave(sessionId: string): void
  /** To be called after a commit of this process. */
  changed(sessionId: string): void
  isClosed(): boolean
  close(): void
}

interface Followed {
  readonly feed: EventFeed
  followers: number
}

/** Feeds exist while somebody follows. Commits of other processes are noticed by one poll for all of them. */
export const createEventFeeds = (database: Database, pollIntervalMs: number): EventFeeds => {
  const followed = new Map<string, Followed>()
  let closed = false

  const poll = createCommitPoll(database, pollIntervalMs, {
    onCommit: async () => {
      const heads = await readHeads(database, [...followed.keys()])
      for (const [id, { feed }] of followed)
        if (feed.isBehind(heads.get(id) ?? { firstId: 1, lastId: 0 })) void feed.refresh()
    },
    // Each refresh meets the same failure and passes it on to its followers.
    onFailure: () => {
      for (const { feed } of followed.values()) void feed.refresh()
    },
  })

  return {
    join: async (sessionId) => {
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
    leave: (sessionId) => {
      const entry = followed.get(sessionId)
      if (entry === undefined) return
      entry.followers -= 1
      if (entry.followers === 0) followed.delete(sessionId)
      if (followed.size === 0) poll.stop()
    },
    changed: (sessionId) => {
      void followed.get(sessionId)?.feed.refresh()
      database.announce?.()
    },
    isClosed: () => closed,
    close: () => {
      closed = true
      poll.stop()
      for (const { feed } of followed.values()) feed.wake()
    },
  }
}
