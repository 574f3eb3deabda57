import { expect, test } from "vitest"
import type { SessionEvent } from "../../../../contracts/event.ts"
import { EventFeed } from "../../../../store/events/event-feed.ts"
import type { EventFeeds } from "../../../../store/events/event-feeds.ts"
import { followEvents } from "../../../../store/events/follow-events.ts"

const log: SessionEvent[] = []
const append = (): void => {
  log.push({ id: log.length + 1, type: "step-started", session_id: "s1", run_id: "r1", at: "" })
}

/** Something is appended after a follower has found nothing and before it waits. */
class UnluckyFeed extends EventFeed {
  #unlucky = true

  override async next(after: number): Promise<readonly SessionEvent[]> {
    const events = await super.next(after)
    if (events.length === 0 && this.#unlucky) {
      this.#unlucky = false
      append()
      await this.refresh()
    }
    return events
  }
}

test("an event between reading and waiting is not missed", async () => {
  const feed = new UnluckyFeed(async ({ after, limit }) => ({
    events: log.filter((event) => event.id > after).slice(0, limit),
    firstId: 1,
    lastId: log.length,
  }))
  await feed.refresh()
  const feeds: EventFeeds = {
    join: async () => feed,
    leave: () => {},
    changed: () => {},
    watch: () => ({ generation: () => 0, next: async () => undefined }),
    isClosed: () => false,
    close: () => {},
  }
  const abort = new AbortController()
  const next = followEvents(feeds, "s1", { after: 0, signal: abort.signal }).next()
  expect((await next).value).toMatchObject({ id: 1 })
  abort.abort()
})
