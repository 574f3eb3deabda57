import { describe, expect, it } from "vitest"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { actor, baseSnapshot } from "../../client/client-fixture.ts"
import { noWorker } from "../../client/fake-temporal.ts"
import { runningSession } from "../../client/running-session.ts"

/** Opens a session that runs with these limits. */
const openRun = async (limits: Partial<RunSnapshot["limits"]> = {}) => {
  const fixture = await runningSession()
  const { client, store, temporal, sessionId } = fixture
  const runId = "run_limited"
  const snapshot: RunSnapshot = { ...baseSnapshot, limits: { ...baseSnapshot.limits, ...limits } }
  await store.runs.create({ runId, sessionId, snapshotHash: await store.snapshots.put(snapshot) })
  await store.sessions.patch(sessionId, { runId })
  temporal.onUpdate = () => ({ run_id: runId })
  const setModel = (model: string) => client.setModel(sessionId, model, actor)
  const { updates, signals } = temporal.execution(sessionId)
  return { ...fixture, runId, setModel, updates, signals }
}

describe("setModel", () => {
  it("sends the model to the running session and stores it for later runs", async () => {
    const { client, store, sessionId, updates, finish, setModel } = await openRun()
    await setModel("light")
    expect(updates[0]).toMatchObject({ name: "setModel", payload: { model: "light" } })
    await finish(sessionId, "completed")
    const { runId } = await client.send({ sessionId, text: "And then?", type: "message", actor })
    const run = await store.runs.get(runId)
    expect((await store.snapshots.get(run?.snapshotHash ?? ""))?.model).toBe("light")
  })

  it("signals the model under the same id where no worker answers in time", async () => {
    const { temporal, store, sessionId, runId, signals, updates, setModel } = await openRun()
    temporal.onUpdate = () => {
      throw noWorker()
    }
    expect(await setModel("light")).toEqual({ state: "accepted", runId })
    const [update] = updates
    const payload = { ...(update?.payload as object), id: update?.id, model: "light" }
    expect(signals).toEqual([{ name: "setModel", payload }])
    expect((await store.sessions.get(sessionId))?.model).toBe("light")
  })

  it("rejects an unknown model with similar names", async () => {
    const { setModel } = await openRun()
    await expect(setModel("lihgt")).rejects.toMatchObject({
      code: "model_not_found",
      message: expect.stringContaining("light"),
    })
  })

  it("does not give a model without a price to a run with a budget in dollars, which would end with its next step", async () => {
    const { setModel, updates } = await openRun({ budgetMicroUsd: 1_000_000 })
    await expect(setModel("free")).rejects.toMatchObject({ code: "price_unknown" })
    expect(updates).toEqual([])
    await expect(setModel("light")).resolves.toMatchObject({ state: "applied" })
  })

  it("gives it to a run without one", async () => {
    const { setModel } = await openRun({ budgetTokens: 1_000 })
    await expect(setModel("free")).resolves.toMatchObject({ state: "applied" })
  })
})
