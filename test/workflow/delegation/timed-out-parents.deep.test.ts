import { afterEach, expect, it } from "vitest"
import { createTreeModel } from "../../helpers/limits/tree-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness | undefined

afterEach(() => harness?.close())

it("a run that is out of time counts what its child used, and the tree cannot spend it again", async () => {
  const stopped = new Error("the call was stopped")
  const { client, start, store } = (harness = await openHarness({
    model: createTreeModel(
      () => ({ calls: [["Task", { description: "find", prompt: "look", subagent_type: "explore" }]] }),
      (_, turn, { signal }) =>
        turn === 1
          ? { calls: [["LS", {}]] }
          : new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(stopped))),
    ),
    config: { agents: { general: { delegation: "task" } } },
  }))
  // The child has made its first step long before.
  const id = await start({ prompt: "PARENT", timeout_seconds: 20, budget_tokens: 600_000 })
  await client.wait(id)
  // One turn of each.
  expect(await client.info(id)).toMatchObject({ status: "timed_out", limits: { budget_tokens: { used: 30 } } })
  const { events } = await store.events.read(id, { after: 0, limit: 100 })
  expect(events.filter(({ type }) => type === "child-finished")).toHaveLength(1)
  const { items } = await client.list({ parent: id })
  expect(items).toMatchObject([{ status: "cancelled" }])
})
