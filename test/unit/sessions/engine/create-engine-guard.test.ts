import { describe, expect, it, vi } from "vitest"
import { nextMillisecond } from "../../../helpers/eventually.ts"
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

describe("a process whose connection was lost", () => {
  const reconnecting = async (temporal: FakeTemporal) => {
    const store = await openTestStore()
    let lost = 0
    const guard = createEngineGuard({ temporal, store, address: "here:7233", losses: () => lost })
    await guard.verify()
    const describeNamespace = vi.spyOn(temporal.workflowService, "describeNamespace")
    return { store, guard, describeNamespace, lose: () => (lost += 1) }
  }

  it("compares engines again, and sends no request while nothing is lost", async () => {
    const { guard, describeNamespace, lose } = await reconnecting(engine("id-1"))
    await guard.verifyIfReconnected()
    expect(describeNamespace).toHaveBeenCalledTimes(0)
    lose()
    await Promise.all([guard.verifyIfReconnected(), guard.verifyIfReconnected(), guard.verifyFromTimeToTime()])
    expect(describeNamespace).toHaveBeenCalledTimes(1)
  })

  it("does not rely on a comparison that was under way when the connection was lost", async () => {
    const temporal = engine("id-1")
    const { guard, describeNamespace, lose } = await reconnecting(temporal)
    lose()
    describeNamespace.mockImplementationOnce(async () => {
      lose()
      temporal.namespaceId = "id-2"
      return { namespaceInfo: { id: "id-1" } }
    })
    await expect(guard.verifyIfReconnected()).rejects.toMatchObject(mismatch)
  })

  it("notices each time that another engine may have answered: workers must forget what they had in memory", async () => {
    const temporal = engine("id-1")
    const { guard, lose } = await reconnecting(temporal)
    const first = await guard.continuity()
    lose()
    expect(await guard.continuity()).toBe(first)
    lose()
    lose()
    const second = await guard.continuity()
    expect(second).not.toBe(first)
    lose()
    temporal.namespaceId = "id-2"
    expect(await guard.continuity()).toBeUndefined()
    temporal.namespaceId = "id-1"
    expect([first, second, undefined]).not.toContain(await guard.continuity())
  })

  it("refuses another engine each time, and continues when the right one is back", async () => {
    const temporal = engine("id-1")
    const { guard, lose } = await reconnecting(temporal)
    temporal.namespaceId = "id-2"
    lose()
    for (const _ of [1, 2]) await expect(guard.verifyIfReconnected()).rejects.toMatchObject(mismatch)
    await expect(guard.verifyFromTimeToTime()).rejects.toMatchObject(mismatch)
    temporal.namespaceId = "id-1"
    await guard.verifyIfReconnected()
  })

  it("does not pass if the engine does not answer", async () => {
    const { guard, describeNamespace, lose } = await reconnecting(engine("id-1"))
    lose()
    describeNamespace.mockRejectedValueOnce(unavailable())
    await expect(guard.verifyIfReconnected()).rejects.toMatchObject({ code: "temporal_unavailable" })
    await guard.verifyIfReconnected()
  })
})

describe("an engine that was restored from an older backup", () => {
  const ids = ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]

  const storeWith = async (guarded: FakeTemporal, sessionIds: readonly string[]) => {
    const store = await openTestStore()
    await guardOf(guarded, store).verify()
    for (const id of sessionIds) {
      await nextMillisecond()
      await openSession(store, id)
    }
    return store
  }

  it("is refused if it knows none of the six newest sessions, although its namespace is the same", async () => {
    const store = await storeWith(engine("id-1"), ids)
    await guardOf(engine("id-1", ids), store).verify()
    await guardOf(engine("id-1", ["s2"]), store).verify()
    const older = guardOf(engine("id-1", ["s1"]), store)
    await expect(older.verify()).rejects.toMatchObject({ ...mismatch, message: expect.stringContaining("older copy") })
    await expect(older.verifyIfReconnected()).rejects.toMatchObject(mismatch)
    expect(await older.compare()).toMatchObject({ isSame: false, found: { namespaceId: "id-1" } })
  })

  it("is accepted if fewer sessions are missing: each of them is treated as missing", async () => {
    const store = await storeWith(engine("id-1"), ids.slice(0, 5))
    await guardOf(engine("id-1"), store).verify()
  })

  it("does not have to know sessions that no worker has executed", async () => {
    const store = await storeWith(engine("id-1"), ids)
    for (const id of ids) await store.sessions.patch(id, { status: "pending" })
    await guardOf(engine("id-1"), store).verify()
  })

  it("is the store's engine once the store was moved to it", async () => {
    const store = await storeWith(engine("id-1"), ids)
    const copy = engine("id-1")
    const remembered = await store.engine.read()
    const identity = { namespaceId: "id-1", namespace: "default", address: "here:7233", scheduleCreatedAt: null }
    await store.engine.move(remembered?.claimId ?? null, identity, { by: "ana", via: "cli", detail: {} })
    await guardOf(copy, store).verify()
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
