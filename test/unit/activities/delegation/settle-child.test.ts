import { expect, it } from "vitest"
import { createSettleChild } from "../../../../activities/delegation/settle-child.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { newPause, newSession, storeWithSession } from "../../store/store-fixture.ts"

/** Opens a store, as one restored from an older copy, with a child whose run `old` never recorded its outcome; `opened`: the run that its session shows. */
const openChild = async (opened: string) => {
  const store = await storeWithSession()
  await store.sessions.create(newSession("c1", { parentId: "s1", rootId: "s1", depth: 1 }))
  const snapshotHash = await store.snapshots.put({} as RunSnapshot)
  for (const runId of ["old", "new"]) await store.runs.create({ runId, sessionId: "c1", snapshotHash })
  await store.runs.patch("old", { status: "running", stepsTaken: 3 })
  await store.sessions.patch("c1", { runId: opened, status: "running" })
  return store
}

it("records the outcome of the named run, and leaves the session in its current one", async () => {
  const store = await openChild("new")
  await store.sessions.patch("c1", { status: "paused" })
  await store.runs.patch("new", { status: "paused" })
  await store.pauses.open({ ...newPause("cp1"), sessionId: "c1", runId: "new" })
  const settled = await createSettleChild(store)({ childId: "c1", runId: "old", engine: "completed" })
  expect(settled.stopReason).toBe("error")
  expect(await store.runs.get("old")).toMatchObject({ status: "failed", stepsTaken: 3 })
  expect(await store.runs.get("new")).toMatchObject({ status: "paused" })
  expect(await store.sessions.get("c1")).toMatchObject({ status: "paused", runId: "new", stopReason: null })
  expect(await store.pauses.current("c1")).toMatchObject({ checkpointId: "cp1" })
})

it("ends the session if the named run is its current one, or its latest one that never opened", async () => {
  for (const opened of ["new", "old"]) {
    const store = await openChild(opened)
    await store.runs.patch("old", { status: "completed", stopReason: "completed" })
    const settled = await createSettleChild(store)({ childId: "c1", runId: "new", engine: "terminated" })
    expect(settled.stopReason).toBe("terminated")
    expect(await store.runs.get("new")).toMatchObject({ status: "failed", stopReason: "terminated" })
    expect(await store.sessions.get("c1")).toMatchObject({ status: "failed", stopReason: "terminated" })
  }
})
