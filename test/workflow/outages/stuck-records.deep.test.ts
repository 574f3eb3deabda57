import { afterEach, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { createAwayStore } from "../../helpers/store/away-store.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness

afterEach(() => harness.close())

const stuckSessions = 45

it("sessions whose ends cannot be recorded leave the worker's task slots to the others, and end when the store is back", async () => {
  let away = true
  const failed = new Map<string, number>()
  harness = await openHarness({
    model: createFakeTurns({ text: "Done." }),
    config: { subagents: { maxConcurrent: 0 } },
    workerStore: (store) =>
      createAwayStore(store, ({ activity, workflowId }) => {
        if (!away || activity !== "closeRun" || workflowId === "subagent/bystander") return undefined
        failed.set(workflowId, (failed.get(workflowId) ?? 0) + 1)
        return "before"
      }),
  })
  const stuck = await Promise.all(Array.from({ length: stuckSessions }, () => harness.start()))
  // Three: both tries inside the task have failed, and an ordinary activity has begun.
  await eventually(() => [...failed.values()].filter((times) => times >= 3).length === stuckSessions, {
    timeoutMs: 60_000,
  })
  const bystander = await harness.start({ sessionId: "bystander" })
  expect(await harness.client.wait(bystander)).toMatchObject({ outcome: "completed" })
  const statuses = await Promise.all(stuck.map(async (id) => (await harness.store.sessions.get(id))?.status))
  expect(statuses.filter((status) => status === "completed")).toEqual([])
  away = false
  for (const id of stuck) expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
})
