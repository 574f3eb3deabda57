import { expect, test } from "vitest"
import { event, createStoreLocation, testEachDatabase, openTestStore, storeWithSession } from "./store-fixture.ts"

const row = { seq: 1, runId: "r1", step: 1, fence: 1, message: { role: "user", source: "input", text: "Hi" } } as const

testEachDatabase(() => {
  test("the writes of a transaction are all stored after it", async () => {
    const store = await storeWithSession()
    const answer = await store.transaction(async (writes) => {
      await writes.messages.put("s1", row)
      await writes.sessions.patch("s1", { headSeq: 1 })
      return writes.events.append("s1", [event()])
    })
    expect(answer).toBe(1)
    expect(await store.messages.get("s1", 1)).toMatchObject({ message: { text: "Hi" } })
    expect(await store.sessions.get("s1")).toMatchObject({ headSeq: 1 })
  })

  test("no write of a transaction is stored if one of them fails", async () => {
    const store = await storeWithSession()
    const failing = store.transaction(async (writes) => {
      await writes.messages.put("s1", row)
      await writes.events.append("s1", [event()])
      throw new Error("no")
    })
    await expect(failing).rejects.toThrow("no")
    expect(await store.messages.get("s1", 1)).toBeUndefined()
    expect(await store.events.lastId("s1")).toBe(0)
  })

  test("each write sees the ones before it, and no one else sees any before the end", async () => {
    const store = await storeWithSession()
    await store.transaction(async (writes) => {
      await writes.messages.put("s1", row)
      expect(await writes.messages.get("s1", 1)).toBeDefined()
      expect(await store.messages.get("s1", 1)).toBeUndefined()
    })
    expect(await store.messages.get("s1", 1)).toBeDefined()
  })

  test("a follower gets events that were written together", async () => {
    const store = await storeWithSession({ pollIntervalMs: 60_000 })
    const stop = new AbortController()
    const heard = store.events.follow("s1", { after: 0, signal: stop.signal })[Symbol.asyncIterator]()
    const first = heard.next()
    await store.transaction((writes) => writes.events.append("s1", [event({ step: 7 })]), "crash")
    expect(await first).toMatchObject({ value: { id: 1, step: 7 } })
    stop.abort()
  })

  test("data that must only survive a crash of the process is visible to other connections at once, and the next write syncs again", async () => {
    const place = await createStoreLocation()
    const store = await storeWithSession(place)
    const writes = Array.from({ length: 20 }, (_, index) =>
      store.transaction(
        (inside) => inside.events.append("s1", [event({ index })]),
        index % 2 === 0 ? "crash" : "power-cut",
      ),
    )
    const ids = await Promise.all(writes)
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    const other = await openTestStore(place)
    expect((await other.events.read("s1", { after: 0, limit: 100 })).events).toHaveLength(20)
  })

  test("a deleted session accepts no writes, in a transaction or not", async () => {
    const store = await storeWithSession()
    await store.sessions.markDeleted("s1")
    expect(await store.transaction((writes) => writes.messages.put("s1", row))).toBe(false)
  })
})
