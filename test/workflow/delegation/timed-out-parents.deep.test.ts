import { afterEach, expect, it } from "vitest"
import { treeUsage } from "../../../activities/limits/tree-usage.ts"
import { countedTokens } from "../../../domain/limits/usage-totals.ts"
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
  // A child has the rest of its parent's time, in whole seconds: the last one is at work when the parent's is over.
  const id = await start({ prompt: "PARENT", timeout_seconds: 10, budget_tokens: 600_000 })
  await client.wait(id)
  const { items: children } = await client.list({ parent: id })
  const ofChildren = await Promise.all(children.map((child) => treeUsage(store, child.id)))
  expect(Math.max(...ofChildren.map(countedTokens))).toBeGreaterThan(0)
  const used = countedTokens(await treeUsage(store, id))
  expect(await client.info(id)).toMatchObject({ status: "timed_out", limits: { budget_tokens: { used } } })
  const { events } = await store.events.read(id, { after: 0, limit: 1_000 })
  expect(events.filter(({ type }) => type === "child-finished")).toHaveLength(children.length)
})
