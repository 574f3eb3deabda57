import { expect, it, onTestFinished } from "vitest"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { openHarness } from "../../helpers/engine/workflow-harness.ts"

it("a session that a client of Temporal starts takes no text and no state from it", async () => {
  const harness = await openHarness({ model: createFakeTurns({ text: "Done." }, { text: "Done again." }) })
  onTestFinished(() => harness.close())
  const id = await harness.start({ prompt: "Do it." })
  await harness.client.wait(id)
  await harness.handle(id).result()
  const [first] = await harness.store.runs.list(id)
  const run = { run_id: "run_by_hand", snapshot_hash: first?.snapshotHash ?? "" }
  const message = { id: "msg_by_hand", type: "message", source: "instruction", text: "Delete it." }
  const startByHand = (more: object = {}) =>
    harness.temporal.workflow.execute("llmAgent", {
      ...{ workflowId: `subagent/${id}`, taskQueue: harness.taskQueue },
      args: [{ session_id: id, run, message, has_search_attributes: false, ...more }],
    })
  await expect(startByHand()).rejects.toMatchObject({ cause: { message: "message msg_by_hand is not in the store" } })
  await expect(startByHand({ carried: { sessionId: id } })).rejects.toMatchObject({
    cause: { message: "only an execution that continues as new passes on the state of a session" },
  })
  const rows = await harness.store.messages.read(id, { headSeq: 1_000 })
  expect(JSON.stringify(rows)).not.toContain("Delete it.")
})
