import { expect, test } from "vitest"
import { createStoreLocation, testEachDatabase, openTestStore } from "../store-fixture.ts"

const first = { namespaceId: "id-1", namespace: "default", address: "127.0.0.1:7233", scheduleCreatedAt: null }
const second = { ...first, namespaceId: "id-2", address: "127.0.0.1:9999" }
const entry = { by: "ann", via: "cli", detail: { why: "test" } }

testEachDatabase(() => {
  test("a store belongs to no engine until one is claimed, and then to the first", async () => {
    const place = await createStoreLocation()
    const store = await openTestStore({ ...place, now: () => 0 })
    expect(await store.engine.read()).toBeUndefined()
    const claimed = await store.engine.claim(first)
    expect(claimed).toEqual({ ...first, claimId: expect.any(String), since: "1970-01-01T00:00:00.000Z" })
    expect(await store.engine.claim(second)).toEqual(claimed)
    expect(await (await openTestStore(place)).engine.read()).toEqual(claimed)
  })

  test("of processes that claim different engines at once one wins, and all see the same engine", async () => {
    const place = await createStoreLocation()
    const stores = await Promise.all([1, 2, 3, 4].map(() => openTestStore(place)))
    const claims = await Promise.all(
      stores.map((store, index) => store.engine.claim({ ...first, namespaceId: `id-${index}` })),
    )
    expect(new Set(claims.map(({ claimId }) => claimId)).size).toBe(1)
    expect(await stores[0]?.engine.read()).toEqual(claims[0])
  })

  test("what is learned about an engine is added to its own claim, and to no other", async () => {
    const store = await openTestStore()
    const { claimId } = await store.engine.claim({ ...first, namespaceId: null })
    await store.engine.learn(claimId, { namespaceId: "id-1" })
    await store.engine.learn("another claim", { namespaceId: "id-9" })
    await store.engine.learn(claimId, { scheduleCreatedAt: "2026-01-01T00:00:00.000Z" })
    expect(await store.engine.read()).toMatchObject({
      claimId,
      namespaceId: "id-1",
      scheduleCreatedAt: "2026-01-01T00:00:00.000Z",
    })
  })

  test("a move replaces the engine that the mover saw, with an audit entry", async () => {
    const store = await openTestStore()
    const claimed = await store.engine.claim(first)
    const moved = await store.engine.move(claimed.claimId, second, entry)
    expect(moved).toMatchObject(second)
    expect(moved?.claimId).not.toBe(claimed.claimId)
    expect(await store.engine.read()).toEqual(moved)
    expect(await store.audit.list({})).toMatchObject([{ action: "engine-move", sessionId: "", ...entry }])
  })

  test("of two simultaneous moves one wins, and the other writes nothing", async () => {
    const place = await createStoreLocation()
    const [left, right] = [await openTestStore(place), await openTestStore(place)]
    const { claimId } = await left.engine.claim(first)
    const moves = await Promise.all([
      left.engine.move(claimId, second, entry),
      right.engine.move(claimId, { ...second, namespaceId: "id-3" }, entry),
    ])
    expect(moves.filter((moved) => moved !== undefined)).toHaveLength(1)
    expect(await left.audit.list({})).toHaveLength(1)
    expect(await left.engine.move(null, second, entry)).toBeUndefined()
  })

  test("a store that belongs to no engine can be moved", async () => {
    const store = await openTestStore()
    expect(await store.engine.move(null, second, entry)).toMatchObject(second)
  })
})
