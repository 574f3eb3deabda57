import { expect, test } from "vitest"
import type { Store } from "../../../../store/store.ts"
import { inspectStore } from "../../../../store/open-store.ts"
import { createStoreLocation, newSession, testEachDatabase, openTestStore } from "../store-fixture.ts"

const claimId = "claim-1"
const actor = { by: "ann", via: "cli" }

/** A session with a run that is open in the store. */
const openSession = async (store: Store, id: string, status: "running" | "paused" = "running"): Promise<string> => {
  const runId = `run-${id}`
  await store.sessions.create(newSession(id))
  await store.runs.create({ runId, sessionId: id, snapshotHash: "h" })
  await store.runs.patch(runId, { status })
  await store.sessions.patch(id, { status, runId })
  return runId
}

const clock = () => {
  let ms = 0
  return { now: () => ms, pass: (by: number) => (ms += by) }
}

const endAsLost = async (store: Store, id: string, runId: string): Promise<void> => {
  const lost = { status: "failed", stopReason: "terminated", error: { code: "terminated", message: "lost" } } as const
  await store.events.append(id, [{ type: "run-finished", runId, ordinal: -2, data: { status: "failed" } }])
  await store.runs.patch(runId, { ...lost, finalMessage: "so far" })
  await store.sessions.patch(id, { ...lost, finalMessage: "so far" })
}

testEachDatabase(() => {
  test("the time when a run was first missed stays until the run or the engine's claim changes", async () => {
    const { now, pass } = clock()
    const store = await openTestStore({ now })
    const runId = await openSession(store, "s1")
    const first = await store.missing.note("s1", { runId, claimId })
    expect(first).toEqual({ firstSeenAt: "1970-01-01T00:00:00.000Z", times: 1, acceptedAt: null })
    pass(1_000)
    expect(await store.missing.note("s1", { runId, claimId })).toEqual({ ...first, times: 2 })
    expect(await store.missing.note("s1", { runId: "run-2", claimId })).toMatchObject({
      firstSeenAt: "1970-01-01T00:00:01.000Z",
      times: 1,
    })
    pass(1_000)
    const other = await store.missing.note("s1", { runId: "run-2", claimId: "claim-2" })
    expect(other.firstSeenAt).toBe("1970-01-01T00:00:02.000Z")
    await store.missing.clear("s1", runId)
    expect(await store.missing.get("s1")).toMatchObject({ runId: "run-2" })
    await store.missing.clear("s1", "run-2")
    expect(await store.missing.get("s1")).toBeUndefined()
    pass(1_000)
    expect((await store.missing.note("s1", { runId, claimId })).firstSeenAt).toBe("1970-01-01T00:00:03.000Z")
  })

  test("runs recorded as lost count for another hour, so that they are not ended one after another", async () => {
    const { now, pass } = clock()
    const store = await openTestStore({ now })
    for (const id of ["a", "b", "c"]) {
      const runId = await openSession(store, id)
      await store.missing.note(id, { runId, claimId })
    }
    await endAsLost(store, "a", "run-a")
    expect(await store.missing.count(claimId)).toEqual({ missing: 2, open: 2, lost: 1 })
    expect(await store.missing.count("claim-2")).toEqual({ missing: 0, open: 2, lost: 0 })
    pass(3_600_000)
    expect(await store.missing.count(claimId)).toEqual({ missing: 2, open: 2, lost: 0 })
  })

  test("open sessions are counted, and those that are missing under the present claim for their present run", async () => {
    const store = await openTestStore()
    for (const id of ["a", "b", "c", "d"]) await openSession(store, id)
    await store.sessions.create(newSession("never-ran"))
    await store.missing.note("a", { runId: "run-a", claimId })
    await store.missing.note("b", { runId: "run-of-before", claimId })
    await store.missing.note("c", { runId: "run-c", claimId: "claim-of-before" })
    expect(await store.missing.count(claimId)).toEqual({ missing: 1, open: 4, lost: 0 })
    expect(await store.missing.list(claimId)).toMatchObject([{ sessionId: "a", runId: "run-a" }])
    expect(await store.missing.listNoted()).toEqual(new Set(["a", "c"]))
    await store.sessions.patch("a", { status: "completed" })
    await store.sessions.markDeleted("d")
    expect(await store.missing.count(claimId)).toEqual({ missing: 0, open: 2, lost: 0 })
  })

  test("accepting covers the sessions that are missing now, with an audit entry for each, and no later ones", async () => {
    const store = await openTestStore()
    for (const id of ["a", "b"]) await openSession(store, id)
    const noteOf = (id: string) => store.missing.note(id, { runId: `run-${id}`, claimId })
    await noteOf("a")
    expect(await store.missing.accept(claimId, actor)).toEqual(["a"])
    expect(await store.missing.accept(claimId, actor)).toEqual([])
    expect((await noteOf("a")).acceptedAt).not.toBeNull()
    expect((await noteOf("b")).acceptedAt).toBeNull()
    expect(await store.missing.count(claimId)).toEqual({ missing: 1, open: 2, lost: 0 })
    expect(await store.audit.list({})).toMatchObject([
      { sessionId: "a", runId: "run-a", action: "accept-missing", ...actor },
    ])
  })

  test("a deleted session is not recorded as missing", async () => {
    const store = await openTestStore()
    const runId = await openSession(store, "s1")
    await store.sessions.markDeleted("s1")
    await store.missing.note("s1", { runId, claimId })
    expect(await store.missing.get("s1")).toBeUndefined()
  })

  test("runs recorded as lost are listed, those checked longest ago first", async () => {
    const { now, pass } = clock()
    const store = await openTestStore({ now })
    for (const id of ["a", "b", "open", "ended"]) {
      const runId = await openSession(store, id)
      await store.missing.note(id, { runId, claimId })
      if (id !== "open" && id !== "ended") await endAsLost(store, id, runId)
      pass(1)
    }
    await store.runs.patch("run-ended", { status: "completed" })
    const ids = async (limit = 10) => (await store.missing.listEnded(limit)).map(({ sessionId }) => sessionId)
    expect(await ids()).toEqual(["a", "b"])
    expect(await ids(1)).toEqual(["a"])
  })

  test("a store can be inspected without being opened", async () => {
    const place = await createStoreLocation()
    const store = await openTestStore(place)
    const engine = await store.engine.claim({ namespaceId: "i", namespace: "n", address: "a", scheduleCreatedAt: null })
    const runId = await openSession(store, "s1")
    await store.missing.note("s1", { runId, claimId: engine.claimId })
    expect(await inspectStore(place)).toMatchObject({
      storeId: store.storeId,
      engine,
      sessions: { missing: 1, open: 1, lost: 0 },
    })
  })
})

test("inspecting a store that does not exist creates none", async () => {
  const place = await createStoreLocation()
  expect(await inspectStore(place)).toBeUndefined()
  expect(await inspectStore(place)).toBeUndefined()
})
