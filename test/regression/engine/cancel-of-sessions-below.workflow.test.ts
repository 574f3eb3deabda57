import { afterEach, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// A session created from outside under another one kept running when its parent was cancelled.

let harness: Harness
const actor = { by: "test", via: "http" }

afterEach(() => harness.close())

it("a cancel reaches sessions created under the cancelled one, and their children", async () => {
  const model = createHeldModel()
  harness = await openHarness({ model: model.provider, config: { subagents: { maxSpawnDepth: 2 } } })
  const { client, start } = harness
  const top = await start({ prompt: "top" })
  const createBelow = async (parentId: string): Promise<string> => {
    const { id } = await client.create({ parentId, cwd: harness.cwd, actor })
    await client.send({ sessionId: id, text: "work", type: "message", actor })
    await eventually(() => model.isWaiting(id))
    return id
  }
  const child = await createBelow(top)
  const grandchild = await createBelow(child)
  expect(await client.cancel(top, actor)).toEqual({ status: "cancelled" })
  for (const id of [child, grandchild])
    await eventually(async () => (await harness.handle(id).describe()).status.name === "CANCELLED")
  expect((await client.info(grandchild)).status).toBe("cancelled")
})
