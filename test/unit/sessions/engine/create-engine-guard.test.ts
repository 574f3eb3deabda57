import { describe, expect, it } from "vitest"
import { createEngineGuard } from "../../../../sessions/engine/create-engine-guard.ts"
import { refuseNewEngine } from "../../../../sessions/engine/refuse-new-engine.ts"
import type { Store } from "../../../../store/store.ts"
import { openTestStore } from "../../../helpers/store/store-under-test.ts"
import { FakeTemporal, unavailable } from "../../client/fake-temporal.ts"
import { createStoreLocation, newSession } from "../../store/store-fixture.ts"

const engine = (namespaceId: string | null, knows: readonly string[] = []): FakeTemporal => {
  const temporal = new FakeTemporal()
  temporal.namespaceId = namespaceId
  for (const id of knows) {
    const workflowId = `subagent/${id}`
    const options = { workflowId, taskQueue: "q", args: [undefined] } as const
    temporal.executions.set(workflowId, {
      status: "RUNNING",
      workflowType: "llmAgent",
      options,
      signals: [],
      updates: [],
    })
  }
  return temporal
}

const guardOf = (temporal: FakeTemporal, store: Store, checkEveryMs = 60_000) =>
  createEngineGuard({ temporal, store, address: "here:7233", checkEveryMs })

const mismatch = { code: "engine_mismatch" }

const openSession = async (store: Store, id: string): Promise<void> => {
  await store.sessions.create(newSession(id))
  await store.sessions.patch(id, { status: "paused", runId: `run-${id}` })
}

describe("the first engine of a store", () => {
  it("is remembered by its namespace, and another engine is rejected with both names", async () => {
    const store = await openTestStore()
    const remembered = await guardOf(engine("id-1"), store).verify()
    expect(remembered).toMatchObject({ namespaceId: "id-1", namespace: "default", address: "here:7233" })
    expect(await guardOf(engine("id-1"), store).verify()).toEqual(remembered)
    await expect(guardOf(engine("id-2"), store).verify()).rejects.toMatchObject({
      ...mismatch,
      message: expect.stringMatching(/id id-1.*id id-2/),
    })
    expect(await store.engine.read()).toEqual(remembered)
  })

  it("is a single one, even if two processes connect to different engines at the same time", async () => {
    const place = await createStoreLocation()
    const [left, right] = [await openTestStore(place), await openTestStore(place)]
    const outcomes = await Promise.allSettled([
      guardOf(engine("id-1"), left).verify(),
      guardOf(engine("id-2"), right).verify(),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
  })
})

describe("a store of an earlier version", () => {
  it("belongs to any engine if no session is open", async () => {
    const store = await openTestStore()
    await store.sessions.create(newSession("never-ran"))
    await openSession(store, "ended")
    await store.sessions.patch("ended", { status: "completed" })
    await expect(guardOf(engine("id-1"), store).verify()).resolves.toMatchObject({ namespaceId: "id-1" })
  })

  it("belongs to the engine that knows one of its open sessions, and to no other", async () => {
    const store = await openTestStore()
    await openSession(store, "s1")
    await openSession(store, "s2")
    await expect(guardOf(engine("id-1", ["s9"]), store).verify()).rejects.toMatchObject({
      ...mismatch,
      message: expect.stringContaining("none of the 2 sessions"),
    })
    expect(await store.engine.read()).toBeUndefined()
    await expect(guardOf(engine("id-1", ["s1"]), store).verify()).resolves.toMatchObject({ namespaceId: "id-1" })
  })

  it("belongs to no engine that knows none of the sessions that were recorded as lost, perhaps by mistake", async () => {
    const store = await openTestStore()
    await openSession(store, "s1")
    await store.runs.create({ runId: "run-s1", sessionId: "s1", snapshotHash: "h" })
    await store.missing.note("s1", { runId: "run-s1", claimId: "" })
    const lost = { status: "failed", stopReason: "terminated" } as const
    await store.runs.patch("run-s1", lost)
    await store.sessions.patch("s1", lost)
    await expect(guardOf(engine("id-2"), store).verify()).rejects.toMatchObject(mismatch)
    await expect(guardOf(engine("id-1", ["s1"]), store).verify()).resolves.toMatchObject({ namespaceId: "id-1" })
  })

  it("is not delayed by a start that is under way", async () => {
    const store = await openTestStore()
    await store.sessions.create(newSession("s1"))
    await store.sessions.patch("s1", { runId: "run-1" })
    await expect(guardOf(engine("id-1"), store).verify()).resolves.toMatchObject({ namespaceId: "id-1" })
  })
})

describe("an engine whose namespace may not be described", () => {
  it("gets the store's schedule when it is claimed, and is recognised by it", async () => {
    const store = await openTestStore()
    const temporal = engine(null)
    const remembered = await guardOf(temporal, store).verify()
    expect(remembered).toMatchObject({ namespaceId: null, scheduleCreatedAt: temporal.scheduleCreatedAt })
    expect(temporal.scheduleCreatedAt).not.toBeNull()
    expect(await guardOf(temporal, store).verify()).toEqual(remembered)
  })

  it("is a different one if the schedule is missing or was created at another time", async () => {
    const store = await openTestStore()
    await guardOf(engine(null), store).verify()
    const empty = engine(null)
    await expect(guardOf(empty, store).verify()).rejects.toMatchObject(mismatch)
    empty.scheduleCreatedAt = "2020-01-01T00:00:00.000Z"
    await expect(guardOf(empty, store).verify()).rejects.toMatchObject(mismatch)
  })

  it("is recognised by its namespace as soon as that may be described", async () => {
    const store = await openTestStore()
    const temporal = engine(null)
    await guardOf(temporal, store).verify()
    temporal.namespaceId = "id-1"
    await guardOf(temporal, store).verify()
    expect(await store.engine.read()).toMatchObject({ namespaceId: "id-1" })
    await expect(guardOf(engine("id-2"), store).verify()).rejects.toMatchObject(mismatch)
  })

  it("is recognised if another process, which may describe it, has seen the schedule", async () => {
    const store = await openTestStore()
    const temporal = engine("id-1")
    await guardOf(temporal, store).verify()
    temporal.scheduleCreatedAt = "2026-01-01T00:00:00.000Z"
    await guardOf(temporal, store).learnSchedule()
    temporal.namespaceId = null
    await expect(guardOf(temporal, store).verify()).resolves.toMatchObject({ namespaceId: "id-1" })
    temporal.scheduleCreatedAt = "2020-01-01T00:00:00.000Z"
    await expect(guardOf(temporal, store).verify()).rejects.toMatchObject(mismatch)
  })
})

describe("a long-lived process", () => {
  it("compares engines again only after a while, and at every call while another engine answers", async () => {
    const store = await openTestStore()
    const temporal = engine("id-1")
    const patient = guardOf(temporal, store)
    const eager = guardOf(temporal, store, 0)
    await patient.verifyFromTimeToTime()
    temporal.namespaceId = "id-2"
    await patient.verifyFromTimeToTime()
    await expect(eager.verifyFromTimeToTime()).rejects.toMatchObject(mismatch)
    await expect(patient.verify()).rejects.toMatchObject(mismatch)
    temporal.namespaceId = "id-1"
    await eager.verifyFromTimeToTime()
  })

  it("continues to work with an engine that does not identify itself", async () => {
    const store = await openTestStore()
    const temporal = engine("id-1")
    const guard = guardOf(temporal, store, 0)
    await guard.verify()
    temporal.workflowService.describeNamespace = () => Promise.reject(unavailable())
    await guard.verifyFromTimeToTime()
    await expect(guard.verify()).rejects.toMatchObject({ code: "temporal_unavailable" })
  })
})

describe("a new embedded engine", () => {
  it("is accepted for a new store", async () => {
    await refuseNewEngine(await openTestStore(), "/data/temporal.db")
  })

  it("is rejected if the store belongs to another engine, or has open sessions", async () => {
    const claimed = await openTestStore()
    await guardOf(engine("id-1"), claimed).verify()
    const refusal = { ...mismatch, message: expect.stringContaining("/data/temporal.db") }
    await expect(refuseNewEngine(claimed, "/data/temporal.db")).rejects.toMatchObject(refusal)
    const old = await openTestStore()
    await openSession(old, "s1")
    await expect(refuseNewEngine(old, "/data/temporal.db")).rejects.toMatchObject(refusal)
  })
})
