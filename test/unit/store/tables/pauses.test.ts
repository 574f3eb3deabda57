import { expect, test } from "vitest"
import { pendingCall } from "../../../helpers/pending-call.ts"
import { newPause, newSession, storeWithSession, testEachDatabase } from "../store-fixture.ts"

testEachDatabase(() => {
  test("a retry returns the pause that is already open", async () => {
    const store = await storeWithSession({ now: () => 0 })
    const opened = await store.pauses.open(newPause("cp1"))
    expect(opened).toEqual({ ...newPause("cp1"), openedAt: "1970-01-01T00:00:00.000Z", closedAt: null })
    expect(await store.pauses.open(newPause("cp2", { message: "again" }))).toEqual(opened)
    expect(await store.pauses.byCheckpoint("cp2")).toBeUndefined()
  })

  test("pending calls are narrowed in the order in which they were proposed, and never widened", async () => {
    const store = await storeWithSession()
    await store.pauses.open(newPause("cp1"))
    await store.pauses.setCalls("s1", "cp1", ["c2", "unknown"])
    expect((await store.pauses.current("s1"))?.calls).toEqual([
      pendingCall({ id: "c2", name: "Write", arguments: { file_path: "a" } }),
    ])
    await store.pauses.setCalls("s1", "cp1", ["c1", "c2"])
    expect((await store.pauses.current("s1"))?.calls.map((call) => call.id)).toEqual(["c2"])
  })

  test("a closed pause is the latest, not the current one, and keeps the time at which it closed", async () => {
    let now = 1000
    const store = await storeWithSession({ now: () => now })
    await store.pauses.open(newPause("cp1"))
    await store.pauses.close("s1", "cp1")
    now = 2000
    await store.pauses.close("s1", "cp1")
    expect(await store.pauses.current("s1")).toBeUndefined()
    expect(await store.pauses.latest("s1")).toMatchObject({ checkpointId: "cp1", closedAt: "1970-01-01T00:00:01.000Z" })
    await store.pauses.open(newPause("cp2", { ordinal: 2, type: "input_required", calls: [] }))
    expect((await store.pauses.current("s1"))?.checkpointId).toBe("cp2")
  })

  test("a checkpoint of another session is not changed", async () => {
    const store = await storeWithSession()
    await store.sessions.create(newSession("s2"))
    await store.pauses.open(newPause("cp1"))
    await store.pauses.close("s2", "cp1")
    await store.pauses.setCalls("s2", "cp1", [])
    expect((await store.pauses.current("s1"))?.calls).toHaveLength(2)
  })

  test("open pauses are listed oldest first, by tree on request, without those of deleted sessions", async () => {
    const store = await storeWithSession()
    await store.sessions.create(newSession("kid", { parentId: "s1", rootId: "s1" }))
    await store.sessions.create(newSession("other"))
    await store.sessions.create(newSession("gone"))
    await store.pauses.open(newPause("d", { sessionId: "gone" }))
    await store.pauses.open(newPause("b", { sessionId: "kid" }))
    await store.pauses.open(newPause("c", { sessionId: "other" }))
    await store.pauses.open(newPause("a"))
    await store.pauses.open(newPause("closed", { ordinal: 2 }))
    await store.pauses.close("s1", "closed")
    await store.sessions.markDeleted("gone")
    const ids = async (filter?: { rootId?: string }) =>
      (await store.pauses.listOpen(filter)).map((pause) => pause.checkpointId)
    expect(await ids()).toEqual(["b", "c", "a"])
    expect(await ids({ rootId: "s1" })).toEqual(["b", "a"])
  })
})
