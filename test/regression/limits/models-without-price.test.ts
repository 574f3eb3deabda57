import { expect, it } from "vitest"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { actor, baseSnapshot, clientFixture, request } from "../../unit/client/client-fixture.ts"

// A run with a budget in dollars was given a model whose price is unknown. It ended with its next step as if its budget were used up.

const openRun = async (limits: Partial<RunSnapshot["limits"]>) => {
  const { client, store, temporal } = await clientFixture()
  const { sessionId } = await client.start(request)
  const snapshot: RunSnapshot = { ...baseSnapshot, limits: { ...baseSnapshot.limits, ...limits } }
  const snapshotHash = await store.snapshots.put(snapshot)
  await store.runs.create({ runId: "run_limited", sessionId, snapshotHash })
  await store.sessions.patch(sessionId, { runId: "run_limited", status: "running" })
  temporal.onUpdate = () => ({ run_id: "run_limited" })
  return {
    setModel: (model: string) => client.setModel(sessionId, model, actor),
    execution: temporal.execution(sessionId),
  }
}

it("a run with a budget in dollars does not get a model without a price", async () => {
  const { setModel, execution } = await openRun({ budgetMicroUsd: 1_000_000 })
  await expect(setModel("free")).rejects.toMatchObject({ code: "price_unknown" })
  expect(execution.updates).toEqual([])
  await expect(setModel("light")).resolves.toMatchObject({ state: "applied" })
})

it("a run without one gets it", async () => {
  const { setModel } = await openRun({ budgetTokens: 1_000 })
  await expect(setModel("free")).resolves.toMatchObject({ state: "applied" })
})
