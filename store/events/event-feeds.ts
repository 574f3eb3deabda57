import type { Database } from "../database.ts"
import { EventFeed } from "./event-feed.ts"
import { readEvents } from "./read-events.ts"

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
  let timer: NodeJS.Timeout | undefined
  let seenVersion = 0
  let polling = false
  let closed = false

  const poll = async (): Promise<void> => {
    if (polling) return
    polling = true
    try {
      if (!hasNewVersion()) return
      const heads = await readHeads(database, [...followed.keys()])
      for (const [id, { feed }] of followed)
        if (feed.isBehind(heads.get(id) ?? { firstId: 1, lastId: 0 })) void feed.refresh()
    } catch {
      // Their own refresh meets the same failure and hands it on.
      for (const { feed } of followed.values()) void feed.refresh()
    } finally {
      polling = false
    }
  }

  const hasNewVersion = (): boolean => {
    const version = database.version()
    if (version === seenVersion) return false
    seenVersion = version
    return true
  }

  const start = (): void => {
    if (timer !== undefined) return
    seenVersion = database.version()
    timer = setInterval(() => void poll(), pollIntervalMs)
  }

  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    join: async (sessionId) => {
      const known = followed.get(sessionId)
      const entry = known ?? {
        feed: new EventFeed((range) => database.read((db) => readEvents(db, sessionId, range))),
        followers: 0,
      }
      entry.followers += 1
      followed.set(sessionId, entry)
      if (!closed) start()
      if (entry.feed.isStale) await entry.feed.refresh()
      return entry.feed
    },
    leave: (sessionId) => {
      const entry = followed.get(sessionId)
      if (entry === undefined) return
      entry.followers -= 1
      if (entry.followers === 0) followed.delete(sessionId)
      if (followed.size === 0) stop()
    },
    changed: (sessionId) => {
      void followed.get(sessionId)?.feed.refresh()
      database.announce?.()
    },
    isClosed: () => closed,
    close: () => {
      closed = true
      stop()
      for (const { feed } of followed.values()) feed.wake()
    },
  }
}

/** Few enough for one statement's parameters. */
const idsPerQuery = 1000

const readHeads = async (
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { firstId: number; lastId: number }>> => {
  const heads = new Map<string, { firstId: number; lastId: number }>()
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
