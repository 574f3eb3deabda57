import { expect, test } from "vitest"
import type { SessionEvent } from "../../../../contracts/event.ts"
import { openStore } from "../../../../store/open-store.ts"
import type { Store } from "../../../../store/store.ts"
import {
  event,
  newSession,
  openTestStore,
  storeWithSession,
  createStoreLocation,
  testEachDatabase,
} from "../store-fixture.ts"
import { untilPasses } from "../../../helpers/eventually.ts"

/** Follows until `count` events have arrived. */
const take = async (store: Store, count: number, after = 0): Promise<readonly SessionEvent[]> => {
  const abort = new AbortController()
  const events: SessionEvent[] = []
  for await (const each of store.events.follow("s1", { after, signal: abort.signal })) {
    events.push(each)
    if (events.length === count) abort.abort()
  }
  return events
}

const ids = (events: readonly SessionEvent[]): readonly number[] => events.map((each) => each.id)
const upTo = (last: number, first = 1): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => index + first)

testEachDatabase(() => {
  test("a follower gets existing and new events, in order and once", async () => {
    const store = await storeWithSession()
    await store.events.append("s1", [event(), event()])
    const followed = take(store, 6)
    await store.events.append("s1", [event()])
    await store.events.append("s1", [event(), event(), event()])
    expect(ids(await followed)).toEqual(upTo(6))
  })

  test("a follower starts after the id that it names", async () => {
    const store = await storeWithSession()
    await store.events.append("s1", [event(), event(), event()])
    const followed = take(store, 2, 2)
    await store.events.append("s1", [event()])
    expect(ids(await followed)).toEqual([3, 4])
  })

  test("a commit of this process needs no poll", async () => {
    const store = await storeWithSession({ pollIntervalMs: 1_000_000 })
    const followed = take(store, 1)
    await store.events.append("s1", [event()])
    expect(ids(await followed)).toEqual([1])
  })

  test("commits of another connection reach all followers of all sessions", async () => {
    const place = await createStoreLocation()
    const store = await storeWithSession(place)
    await store.sessions.create(newSession("quiet"))
    const other = await openTestStore(place)
    const followers = Array.from({ length: 50 }, () => take(store, 3))
    const quiet = new AbortController()
    const silent = store.events.follow("quiet", { after: 0, signal: quiet.signal })[Symbol.asyncIterator]().next()
    for (let count = 0; count < 3; count += 1) await other.events.append("s1", [event()])
    for (const follower of followers) expect(ids(await follower)).toEqual([1, 2, 3])
    quiet.abort()
    expect(await silent).toMatchObject({ done: true })
  })

  test("a session can be followed before it is created", async () => {
    const store = await openTestStore()
    const followed = take(store, 1)
    await store.sessions.create(newSession("s1"))
    await store.events.append("s1", [event()])
    expect(ids(await followed)).toEqual([1])
  })

  test("a slow consumer misses nothing, however far it falls behind", async () => {
    const store = await storeWithSession()
    const abort = new AbortController()
    const iterator = store.events.follow("s1", { after: 0, signal: abort.signal })[Symbol.asyncIterator]()
    const first = iterator.next()
    await store.events.append("s1", [event()])
    const seen = [(await first).value]
    for (let batch = 0; batch < 20; batch += 1)
      await store.events.append(
        "s1",
        Array.from({ length: 100 }, () => event()),
      )
    while (seen.length < 2001) seen.push((await iterator.next()).value)
    expect(seen.map((each) => each?.id)).toEqual(upTo(2001))
    const end = iterator.next()
    abort.abort()
    expect(await end).toMatchObject({ done: true })
  })

  test("followers who join while events are appended see the same log", async () => {
    const store = await storeWithSession()
    const followers: Promise<readonly SessionEvent[]>[] = []
    for (let count = 1; count <= 60; count += 1) {
      if (count % 10 === 1) followers.push(take(store, 60 - (count % 7), count % 7))
      await store.events.append("s1", [event()])
    }
    for (const follower of followers) {
      const seen = ids(await follower)
      expect(seen).toEqual(upTo(60, seen[0]))
    }
  })

  test("an abort ends one follower and disturbs no other", async () => {
    const store = await storeWithSession()
    const abort = new AbortController()
    const leaving = store.events.follow("s1", { after: 0, signal: abort.signal })[Symbol.asyncIterator]().next()
    const staying = take(store, 1)
    abort.abort()
    expect(await leaving).toMatchObject({ done: true })
    await store.events.append("s1", [event()])
    expect(ids(await staying)).toEqual([1])
    const late = store.events.follow("s1", { after: 0, signal: abort.signal })[Symbol.asyncIterator]().next()
    expect(await late).toMatchObject({ done: true })
  })

  test("closing the store ends its followers", async () => {
    const store = await openStore(await createStoreLocation())
    await store.sessions.create(newSession("s1"))
    const abort = new AbortController()
    const waiting = store.events.follow("s1", { after: 0, signal: abort.signal })[Symbol.asyncIterator]().next()
    await store.close()
    expect(await waiting).toMatchObject({ done: true })
  })

  test("erased events are not returned to a follower from the beginning", async () => {
    const place = await createStoreLocation()
    const store = await storeWithSession(place)
    const other = await openTestStore(place)
    const abort = new AbortController()
    const first = store.events.follow("s1", { after: 0, signal: abort.signal })[Symbol.asyncIterator]()
    const one = first.next()
    await store.events.append("s1", [event(), event()])
    await one
    await other.sessions.erase("s1")

    await untilPasses(async () => {
      const attempt = new AbortController()
      const next = store.events.follow("s1", { after: 0, signal: attempt.signal })[Symbol.asyncIterator]().next()
      const page = await store.events.read("s1", { after: 0, limit: 1 })
      attempt.abort()
      const answer = await next
      expect(page.events).toEqual([])
      expect(answer.done).toBe(true)
    })
    abort.abort()
  })
})
