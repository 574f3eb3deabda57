import { expect, it } from "vitest"
import type { ModelSpec, RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { actor, baseSnapshot, clientFixture, request } from "../../client/client-fixture.ts"

// A run with a budget in dollars was given a model whose price is unknown. It ended with its next step as if its budget were used up.

const openRun = async (limits: Partial<RunSnapshot["limits"]>, settings: Partial<RunSnapshot> = {}) => {
  const { client, store, temporal, pause } = await clientFixture()
  const { sessionId } = await client.start(request)
  const snapshot: RunSnapshot = { ...baseSnapshot, ...settings, limits: { ...baseSnapshot.limits, ...limits } }
  const snapshotHash = await store.snapshots.put(snapshot)
  await store.runs.create({ runId: "run_limited", sessionId, snapshotHash })
  await store.sessions.patch(sessionId, { runId: "run_limited", status: "running" })
  temporal.onUpdate = () => ({ run_id: "run_limited" })
  return {
    /** Answers the pause of a budget that was used up. */
    raise: async (budgetUsd: number) => {
      const { checkpointId } = await pause(sessionId, { type: "input_required", calls: [] })
      const answer = { sessionId, text: "More.", type: "message", checkpointId, actor } as const
      return await client.send({ ...answer, limits: { budget_usd: budgetUsd } })
    },
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

const { main, free } = baseSnapshot.models
it.each<[string, Partial<RunSnapshot>]>([
  ["its model", { models: { main: { ...main, price: null } as ModelSpec } }],
  ["a fallback model", { models: { main: { ...main, fallback: ["free"] } as ModelSpec, free: free as ModelSpec } }],
])("a budget in dollars is not given to a run if the price of %s is unknown", async (_, settings) => {
  const { raise, execution } = await openRun({ budgetTokens: 1_000 }, { modelTiers: [], ...settings })
  await expect(raise(1)).rejects.toMatchObject({ code: "price_unknown" })
  expect(execution.updates).toEqual([])
})
