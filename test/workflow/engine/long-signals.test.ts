import { afterEach, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// The signal's sender is read from the history. Long signals made its first page larger than a client accepts,
// and the session never continued.

let harness: Harness

afterEach(() => harness.close())

it("signals that are long together are audited, and the session continues", async () => {
  const model = createHeldModel()
  harness = await openHarness({ model: model.provider, config: { timing: { continueAsNewAfterEvents: 40 } } })
  const id = await harness.start()
  await eventually(() => model.isWaiting(id))
  // Each takes six times its characters in the history, and eight times in an answer of the engine.
  const signals = 12
  for (let sent = 0; sent < signals; sent += 1) await harness.handle(id).signal("steer", "\u0001".repeat(60_000))
  model.reply(id, { calls: [["LS", {}]] })
  await eventually(() => model.isWaiting(id))
  model.reply(id, { text: "The end." })
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "The end." })
  const steered = (await harness.client.audit({ sessionId: id })).items.filter(({ via }) => via === "temporal")
  expect(steered).toHaveLength(signals)
})
