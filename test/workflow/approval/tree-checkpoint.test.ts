import { afterEach, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createTreeModel } from "../../helpers/limits/tree-model.ts"

let harness: Harness

afterEach(() => harness.close())

it("one approval under the checkpoint of a tree's document continues every sub-agent, and the tree ends", async () => {
  harness = await openHarness({
    model: createTreeModel(
      (turn) => (turn > 1 ? { text: "all done" } : { calls: ["a", "b"].map((task) => ["sessions_spawn", { task }]) }),
      (task, turn) =>
        turn === 1 ? { calls: [["Write", { file_path: `${task}.txt`, content: task }]] } : { text: "written" },
    ),
  })
  const { client, start } = harness
  const id = await start({ prompt: "PARENT", auto_approve: false })
  const document = await client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`not paused but ${JSON.stringify(document)}`)
  expect(document.pause_reason.pending_tool_calls).toHaveLength(2)
  await client.decide({
    ...{ sessionId: id, checkpointId: document.checkpoint_id, actor: { by: "test", via: "cli" } },
    ...{ all: { action: "accept" }, unlisted: "reject" },
  })
  await eventually(async () => (await client.info(id)).status === "completed")
  const children = (await client.list({ parent: id })).items
  expect(children.map(({ status }) => status)).toEqual(["completed", "completed"])
  const audited = (await client.audit()).items.filter(({ action }) => action === "decide")
  expect(new Set(audited.map(({ session_id: owner }) => owner))).toEqual(new Set(children.map((child) => child.id)))
})
