import pg from "pg"
import { expect, onTestFinished, test } from "vitest"
import type { SessionEvent } from "../../../../contracts/event.ts"
import { openStore } from "../../../../store/open-store.ts"
import type { Store } from "../../../../store/store.ts"
import { describeWith } from "../../../helpers/needs.ts"
import { createSchema, execute, getPostgresServer, postgres } from "../../../helpers/store/store-under-test.ts"
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
    expect(keys(events)).toEqual(appendedLater)
    expect(events).toHaveLength(appendedLater.length)
    expect(events.filter(({ session_id }) => session_id === "s2").map(({ id }) => id)).toEqual([1, 2, 3])
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

/** Opens a transaction that writes, in another database of the server, and leaves it open. */
const openTransactionElsewhere = async (): Promise<void> => {
  const client = new pg.Client({ connectionString: await getPostgresServer() })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query("begin")
  await client.query("select pg_current_xact_id()")
}

/** Appends one event to each session, one follower after the other, and returns what the second one gets. */
const secondOf = async (store: Store): Promise<readonly string[]> => {
  const from = await store.events.storeCursor()
  await store.events.append("s1", [event()])
  const { cursor } = await follow(store, from, hasCount(1))
  await store.events.append("s2", [event()])
  return keys((await follow(store, cursor, (events) => keys(events).includes("s2 1"))).events)
}

describeWith([postgres()], "positions in PostgreSQL", () => {
  test("a transaction of another program on the server does not keep a cursor back", async () => {
    const store = await openTestStore({ url: await createSchema() })
    await twoSessions(store)
    await openTransactionElsewhere()
    expect(await secondOf(store)).toEqual(["s2 1"])
  })

  test("an event whose position was taken before a follower began, and that is committed afterwards, arrives", async () => {
    const store = await openTestStore({ url: await createSchema() })
    await twoSessions(store)
    const appended = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const slow = store.transaction(async (writes) => {
      await writes.events.append("s1", [event()])
      appended.resolve()
      await release.promise
    })
    await appended.promise
    await store.events.append("s2", [event()])
    const stop = new AbortController()
    const from = await store.events.storeCursor()
    const followed = store.events.followStore({ from, signal: stop.signal })
    const seen: SessionEvent[] = [...((await followed.next()).value?.events ?? [])]
    release.resolve()
    await slow
    for await (const { events } of followed) {
      seen.push(...events)
      if (events.length > 0) stop.abort()
    }
    expect(keys(seen)).toEqual(["s1 1"])
  })

  test("positions that were rolled back, or taken for events that were in the log already, do not keep a cursor back", async () => {
    const store = await openTestStore({ url: await createSchema() })
    await twoSessions(store)
    await store.events.append("s2", [event({}, 1)])
    const from = await store.events.storeCursor()
    const undone = store.transaction(async (writes) => {
      await writes.events.append("s1", [event(), event()])
      throw new Error("undone")
    })
    await expect(undone).rejects.toThrow("undone")
    await store.events.append("s2", [event({}, 1)])
    await store.events.append("s1", [event()])
    const { cursor } = await follow(store, from, hasCount(1))
    await store.events.append("s2", [event()])
    expect(keys((await follow(store, cursor, hasCount(1))).events)).toEqual(["s2 2"])
  })

  test("a store whose positions were ids of transactions is upgraded: what happened before is not new", async () => {
    const url = await createSchema()
    const before = await openStore({ url, dataDir: "/nowhere" })
    await twoSessions(before)
    await before.events.append("s1", [event(), event()])
    await before.close()
    await execute(
      url,
      "alter table events alter column position set default (pg_current_xact_id()::text::bigint)",
      "drop sequence event_positions",
      "update events set position = 5000000000",
      "alter table deliveries drop column thread, drop column thread_number",
      "alter table usage drop column at, drop column caller",
      "update meta set value = '24' where key = 'schema_version'",
    )
    const store = await openTestStore({ url })
    const followed = follow(store, await store.events.storeCursor(), hasCount(1))
    await store.events.append("s2", [event()])
    expect(keys((await followed).events)).toEqual(["s2 1"])
  })
})
