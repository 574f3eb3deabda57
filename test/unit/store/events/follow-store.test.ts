import { expect, test } from "vitest"
import type { SessionEvent } from "../../../../contracts/event.ts"
import { openStore } from "../../../../store/open-store.ts"
import type { Store } from "../../../../store/store.ts"
import { createStoreLocation, event, newSession, openTestStore, testEachDatabase } from "../store-fixture.ts"

/** Follows until `isEnough`; returns the events and the last cursor. */
const follow = async (
  store: Store,
  from: number,
  isEnough: (events: readonly SessionEvent[]) => boolean,
): Promise<{ readonly events: readonly SessionEvent[]; readonly cursor: number }> => {
  const abort = new AbortController()
  const events: SessionEvent[] = []
  let cursor = from
  for await (const batch of store.events.followStore({ from, signal: abort.signal })) {
    events.push(...batch.events)
    cursor = batch.cursor
    if (isEnough(events)) abort.abort()
  }
  return { events, cursor }
}

/** The events, each once: a follower can get an event again. */
const keys = (events: readonly SessionEvent[]): readonly string[] =>
  [...new Set(events.map(({ session_id, id }) => `${session_id} ${id}`))].toSorted()

const hasAll = (wanted: readonly string[]) => (events: readonly SessionEvent[]) =>
  wanted.every((key) => keys(events).includes(key))

const hasCount = (count: number) => (events: readonly SessionEvent[]) => keys(events).length >= count

const twoSessions = async (store: Store): Promise<void> => {
  await store.sessions.create(newSession("s1"))
  await store.sessions.create(newSession("s2"))
}

testEachDatabase(() => {
  test("a follower of the store gets the events of all sessions from its cursor on, those of a session in order", async () => {
    const store = await openTestStore()
    await twoSessions(store)
    const appendedLater = ["s1 2", "s2 1", "s2 2", "s2 3"]
    await store.events.append("s1", [event()])
    const followed = follow(store, await store.events.storeCursor(), hasAll(appendedLater))
    await store.events.append("s2", [event(), event()])
    await store.events.append("s1", [event()])
    await store.events.append("s2", [event()])
    const { events } = await followed
    // A transaction of anybody on the database server keeps a cursor back, so that an earlier event can come, too.
    expect(["s1 1", ...appendedLater]).toEqual(expect.arrayContaining([...keys(events)]))
    const firstSeen = [...new Set(events.filter(({ session_id }) => session_id === "s2").map(({ id }) => id))]
    expect(firstSeen).toEqual([1, 2, 3])
  })

  test("a follower that continues with its cursor misses nothing, even across pages", async () => {
    const store = await openTestStore()
    await twoSessions(store)
    const from = await store.events.storeCursor()
    await store.events.append("s1", [event()])
    const { cursor } = await follow(store, from, hasCount(1))
    for (let batch = 0; batch < 30; batch += 1)
      await store.events.append(
        batch % 2 === 0 ? "s1" : "s2",
        Array.from({ length: 20 }, () => event()),
      )
    const { events } = await follow(store, cursor, hasCount(600))
    const missing = Array.from({ length: 300 }, (_, index) => `s2 ${index + 1}`).filter(
      (key) => !keys(events).includes(key),
    )
    expect(missing).toEqual([])
  })

  test("an event of another process arrives", async () => {
    const place = await createStoreLocation()
    const store = await openTestStore({ ...place, pollIntervalMs: 5 })
    const other = await openStore(place)
    await twoSessions(store)
    const followed = follow(store, await store.events.storeCursor(), hasCount(1))
    await other.events.append("s2", [event()])
    expect(keys((await followed).events)).toEqual(["s2 1"])
    await other.close()
  })

  test("an event that is committed after later ones is not skipped", async () => {
    const place = await createStoreLocation()
    const store = await openTestStore({ ...place })
    await twoSessions(store)
    const from = await store.events.storeCursor()
    const appended = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const slow = store.transaction(async (writes) => {
      await writes.events.append("s1", [event()])
      appended.resolve()
      await release.promise
    })
    await appended.promise
    const quick = store.events.append("s2", [event()])
    // Writers of SQLite take turns.
    if (place.url.startsWith("sqlite")) release.resolve()
    await quick
    const { cursor } = await follow(store, from, (events) => keys(events).includes("s2 1"))
    release.resolve()
    await slow
    const isSqlite = place.url.startsWith("sqlite")
    const { events } = await follow(store, cursor, (all) => isSqlite || all.length > 0)
    expect(keys(events).includes("s1 1")).toBe(!isSqlite)
  })
})
