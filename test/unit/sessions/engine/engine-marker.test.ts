import { beforeEach, describe, expect, it, vi } from "vitest"
import { createEngineGuard } from "../../../../sessions/engine/create-engine-guard.ts"
import type { Store } from "../../../../store/store.ts"
import { openTestStore } from "../../../helpers/store/store-under-test.ts"
import { FakeTemporal } from "../../client/fake-temporal.ts"
import { newSession } from "../../store/store-fixture.ts"

const createdAt = "2026-01-01T00:00:00.000Z"
const older = { code: "engine_mismatch", message: expect.stringContaining("older copy") }

let store: Store
let temporal: FakeTemporal
let losses: number

const guardOf = (engine: FakeTemporal) =>
  createEngineGuard({ temporal: engine, store, address: "here:7233", losses: () => losses })

/** Executes something and writes a marker that is old enough when the next one is written. */
const work = async (times: number, guard = guardOf(temporal)): Promise<void> => {
  for (let count = 0; count < times; count += 1) {
    await guard.verifyIfReconnected()
    await guard.mark(0)
  }
}

const copyOf = ({ scheduleCreatedAt, scheduleMemo }: FakeTemporal): FakeTemporal =>
  Object.assign(new FakeTemporal(), { scheduleCreatedAt, scheduleMemo })

const markerOf = async () => (await store.engine.read())?.marker

beforeEach(async () => {
  store = await openTestStore()
  temporal = Object.assign(new FakeTemporal(), { scheduleCreatedAt: createdAt, scheduleMemo: { adjutantMarker: 0 } })
  losses = 0
  await guardOf(temporal).learnSchedule()
})

describe("a copy of the engine", () => {
  it("is refused as soon as it lacks a marker, however few sessions it does not know", async () => {
    await work(1)
    const copy = copyOf(temporal)
    await work(1)
    await guardOf(copy).verify()
    await work(1)
    const guard = guardOf(copy)
    await expect(guard.verify()).rejects.toMatchObject(older)
    await expect(guard.verifyIfReconnected()).rejects.toMatchObject(older)
    expect(await guard.compare()).toMatchObject({ isSame: false })
    await guardOf(temporal).verify()
  })

  it("is refused by a running worker that writes its next marker, and gets none", async () => {
    const guard = guardOf(temporal)
    await work(1, guard)
    const { scheduleMemo } = temporal
    await work(2, guard)
    temporal.scheduleMemo = scheduleMemo
    const before = await markerOf()
    await guard.verifyIfReconnected()
    await expect(guard.mark(0)).rejects.toMatchObject(older)
    expect([temporal.scheduleMemo, await markerOf()]).toEqual([scheduleMemo, before])
    await expect(guard.verifyIfReconnected()).rejects.toMatchObject(older)
  })

  it("is refused if it has an older schedule than the store knows", async () => {
    await work(1)
    const copy = copyOf(temporal)
    copy.scheduleCreatedAt = "2025-12-31T00:00:00.000Z"
    await expect(guardOf(copy).verify()).rejects.toMatchObject(older)
  })

  it("gets a marker of its own once the store was moved to it", async () => {
    await work(1)
    const copy = copyOf(temporal)
    await work(2)
    const claimId = (await store.engine.read())?.claimId ?? null
    const identity = { namespaceId: copy.namespaceId, namespace: "default", address: "here:7233" }
    const entry = { by: "ana", via: "cli", detail: {} }
    await store.engine.move(claimId, { ...identity, scheduleCreatedAt: createdAt }, entry)
    await work(2, guardOf(copy))
    expect(await markerOf()).toMatchObject({ required: 2, written: 3 })
    await expect(
      guardOf(Object.assign(copyOf(copy), { scheduleMemo: { adjutantMarker: 1 } })).verify(),
    ).rejects.toThrow()
  })
})

describe("the store's engine", () => {
  it("may lack the last marker, which a power cut may have taken", async () => {
    await work(3)
    temporal.scheduleMemo = { adjutantMarker: 2 }
    await guardOf(temporal).verify()
    await work(1)
    expect(await markerOf()).toMatchObject({ required: 2, written: 4 })
    temporal.scheduleMemo = { adjutantMarker: 1 }
    await expect(guardOf(temporal).verify()).rejects.toMatchObject(older)
  })

  it("gets no marker while nothing is executed, and none from a second worker at the same time", async () => {
    const guard = guardOf(temporal)
    await guard.mark(0)
    expect(temporal.scheduleMemo).toEqual({ adjutantMarker: 0 })
    await work(1, guard)
    await guard.mark(0)
    const second = guardOf(temporal)
    await second.verifyIfReconnected()
    await second.mark(60_000)
    expect(temporal.scheduleMemo).toEqual({ adjutantMarker: 1 })
  })

  it("is recognised if its schedule was deleted, was created again or lost its marker", async () => {
    await work(3)
    temporal.scheduleMemo = undefined
    await guardOf(temporal).verify()
    temporal.scheduleMemo = { adjutantMarker: 0 }
    temporal.scheduleCreatedAt = "2026-02-02T00:00:00.000Z"
    await guardOf(temporal).verify()
    temporal.scheduleCreatedAt = null
    await guardOf(temporal).verify()
  })

  it("is asked for its marker only if no ended session shows that it is complete", async () => {
    await work(2)
    const describeSchedule = vi.spyOn(temporal.schedule, "getHandle")
    await store.sessions.create(newSession("s1"))
    await store.sessions.patch("s1", { status: "completed", runId: "run-1" })
    const endedAt = (closeTime: Date): void => {
      const options = { workflowId: "subagent/s1", taskQueue: "q", args: [undefined] } as const
      const execution = { workflowType: "llmAgent", options, signals: [], updates: [] }
      temporal.executions.set("subagent/s1", { ...execution, status: "COMPLETED", closeTime })
    }
    endedAt(new Date(Date.now() + 60_000))
    await guardOf(temporal).verify()
    expect(describeSchedule).not.toHaveBeenCalled()
    endedAt(new Date(createdAt))
    await guardOf(temporal).verify()
    expect(describeSchedule).toHaveBeenCalledOnce()
  })
})

it("the store keeps no number that an older copy may have got while the connection was lost", async () => {
  const guard = guardOf(temporal)
  await work(2, guard)
  const before = await markerOf()
  const handle = temporal.schedule.getHandle("any")
  vi.spyOn(temporal.schedule, "getHandle").mockReturnValue({
    ...handle,
    update: async (change) => {
      losses += 1
      await handle.update(change)
    },
  })
  await guard.verifyIfReconnected()
  await guard.mark(0)
  expect(await markerOf()).toEqual(before)
})
