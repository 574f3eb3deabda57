import { describe, expect, it } from "vitest"
import type { Status } from "../../../../../contracts/status.ts"
import type { Store } from "../../../../../store/store.ts"
import { messageRow, newSession, openTestStore } from "../../store-fixture.ts"

const put = async (store: Store, id: string, status: Status, runId = `run_${id}`): Promise<void> => {
  await store.sessions.create(newSession(id))
  await store.runs.create({ runId, sessionId: id, snapshotHash: `hash_${id}` })
  await store.runs.patch(runId, { status })
  await store.sessions.patch(id, { status, runId })
}

const endedIds = async (store: Store) => (await store.sessions.listEnded()).map(({ id }) => id)

describe("sessions whose latest run has ended", () => {
  it("are listed with that run, unless they are open, archived or deleted", async () => {
    const store = await openTestStore()
    await put(store, "done", "completed")
    await put(store, "lost", "failed")
    await put(store, "paused", "paused")
    await put(store, "running", "running")
    await put(store, "archived", "completed")
    await put(store, "deleted", "completed")
    await store.sessions.archive("archived", new Date().toISOString())
    await store.sessions.markDeleted("deleted")
    expect(await endedIds(store)).toEqual(["done", "lost"])
    expect((await store.sessions.listEnded())[0]).toMatchObject({
      runId: "run_done",
      snapshotHash: "hash_done",
      endedAt: (await store.runs.get("run_done"))?.finishedAt,
    })
  })

  it("are archived only while no other run has begun", async () => {
    const store = await openTestStore()
    await put(store, "s1", "completed")
    await store.sessions.patch("s1", { status: "pending", runId: "run_next" })
    expect(await store.sessions.archiveEnded({ id: "s1", runId: "run_s1" })).toBe(false)
    await store.sessions.patch("s1", { status: "completed", runId: "run_s1" })
    expect(await store.sessions.archiveEnded({ id: "s1", runId: "run_s1" })).toBe(true)
    expect((await store.sessions.list({})).items).toEqual([])
    expect((await store.sessions.get("s1"))?.archivedAt).not.toBeNull()
    expect(await store.sessions.archiveEnded({ id: "s1", runId: "run_s1" })).toBe(false)
  })
})

describe("sessions with a tombstone", () => {
  it("are listed until their texts are erased", async () => {
    const store = await openTestStore()
    await put(store, "s1", "completed")
    await put(store, "kept", "completed")
    await store.messages.put("s1", { ...messageRow(1, "hello"), runId: "run_s1" })
    expect(await store.sessions.listUnerased()).toEqual([])
    await store.sessions.markDeleted("s1")
    expect(await store.sessions.listUnerased()).toEqual(["s1"])
    await store.sessions.erase("s1")
    expect(await store.sessions.listUnerased()).toEqual([])
  })
})
