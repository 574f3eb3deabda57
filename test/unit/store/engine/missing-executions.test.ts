import { expect, test } from "vitest"
import type { Store } from "../../../../store/store.ts"
import { inspectStore } from "../../../../store/open-store.ts"
import { pendingCall } from "../../../helpers/pending-call.ts"
import { newPause, createStoreLocation, newSession, testEachDatabase, openTestStore } from "../store-fixture.ts"

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
    await store.missing.touch("a")
    expect(await ids()).toEqual(["b", "a"])
    expect(await ids(1)).toEqual(["b"])
  })

  test("a lost run that is alive is opened again, with its pause, and readers get an event", async () => {
    const store = await openTestStore()
    const runId = await openSession(store, "s1", "paused")
    const call = pendingCall({ id: "call_1", name: "Write", arguments: { file_path: ".envrc" } })
    const pause = await store.pauses.open(newPause("cp_1", { runId, calls: [{ ...call, isProtected: true }] }))
    await store.missing.note("s1", { runId, claimId })
    await store.pauses.close("s1", "cp_1")
    await endAsLost(store, "s1", runId)
    await store.sessions.archive("s1", "2026-01-01T00:00:00.000Z")
    const living = { runId, status: "paused", checkpointId: "cp_1" } as const
    expect(await store.missing.reopen("s1", living)).toBe(true)
    expect(await store.missing.reopen("s1", living)).toBe(false)
    const open = { status: "paused", stopReason: null, error: null, finalMessage: null }
    expect(await store.sessions.get("s1")).toMatchObject({ ...open, runId, archivedAt: null })
    expect(await store.runs.get(runId)).toMatchObject({ ...open, finishedAt: null, reopened: 1 })
    expect(await store.pauses.current("s1")).toEqual(pause)
    const { events } = await store.events.read("s1", { after: 0, limit: 10 })
    expect(events).toMatchObject([
      { type: "run-finished" },
      { type: "run-paused", checkpoint_id: "cp_1", reopened: true, agent_message: "May I?" },
    ])
    expect(events[1]?.["pause_reason"]).toEqual({
      type: "tool_approval_required",
      pending_tool_calls: [{ ...call, protected: true }],
    })
    expect(await store.audit.list({})).toMatchObject([{ sessionId: "s1", action: "reopen", by: "adjutant" }])
    // The true end is an event, too.
    await store.events.append("s1", [{ type: "run-finished", runId, ordinal: -2, data: { status: "completed" } }])
    expect((await store.events.read("s1", { after: 0, limit: 10 })).events).toHaveLength(3)
  })

  test("a lost run that is running is opened again without a pause", async () => {
    const store = await openTestStore()
    const runId = await openSession(store, "s1")
    await store.missing.note("s1", { runId, claimId })
    await endAsLost(store, "s1", runId)
    expect(await store.missing.reopen("s1", { runId, status: "running", checkpointId: null })).toBe(true)
    expect(await store.sessions.get("s1")).toMatchObject({ status: "running" })
    const { events } = await store.events.read("s1", { after: 0, limit: 10 })
    expect(events.at(-1)).toMatchObject({ type: "run-started", agent: "general", reopened: true })
  })

  test("undelivered announcements of the end are dismissed, and those of pauses are not", async () => {
    const store = await openTestStore()
    const runId = await openSession(store, "s1")
    await store.missing.note("s1", { runId, claimId })
    await endAsLost(store, "s1", runId)
    const policy = { attempts: 1, initialMs: 1, maxMs: 1, timeoutMs: 1 }
    const delivery = { sessionId: "s1", runId, kind: "webhook", url: "u", secretEnv: "S", body: "{}", policy } as const
    for (const key of ["waiting", "gave-up", "arrived"])
      await store.deliveries.create({ ...delivery, key, event: "run-finished" })
    await store.deliveries.patch("gave-up", { status: "failed" }, ["pending"])
    await store.deliveries.patch("arrived", { status: "delivered" }, ["pending"])
    await store.deliveries.create({ ...delivery, key: "pause", event: "run-paused" })
    await store.missing.reopen("s1", { runId, status: "running", checkpointId: null })
    const rows = await store.deliveries.list({})
    expect(Object.fromEntries(rows.map(({ key, status }) => [key, status]))).toEqual({
      waiting: "dismissed",
      "gave-up": "dismissed",
      arrived: "delivered",
      pause: "pending",
    })
  })

  test.each([
    ["completed", "completed"],
    ["cancelled", "cancelled"],
    ["failed", "error"],
  ] as const)("a run that is %s (%s) is never opened again", async (status, stopReason) => {
    const store = await openTestStore()
    const runId = await openSession(store, "s1")
    await store.missing.note("s1", { runId, claimId })
    await store.runs.patch(runId, { status, stopReason })
    await store.sessions.patch("s1", { status, stopReason })
    expect(await store.missing.reopen("s1", { runId, status: "running", checkpointId: null })).toBe(false)
    expect(await store.sessions.get("s1")).toMatchObject({ status, stopReason })
  })

  test("a run that was terminated without ever being missing is never opened again", async () => {
    const store = await openTestStore()
    const runId = await openSession(store, "s1")
    await endAsLost(store, "s1", runId)
    expect(await store.missing.reopen("s1", { runId, status: "running", checkpointId: null })).toBe(false)
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
      newest: [{ id: "s1" }],
    })
  })
})

test("inspecting a store that does not exist creates none", async () => {
  const place = await createStoreLocation()
  expect(await inspectStore(place)).toBeUndefined()
  expect(await inspectStore(place)).toBeUndefined()
})
