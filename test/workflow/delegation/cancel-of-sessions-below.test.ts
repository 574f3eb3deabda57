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

it("a cancel of an ended session reaches what is still open below it, and changes nothing about the session", async () => {
  const model = createHeldModel()
  harness = await openHarness({ model: model.provider, config: { subagents: { maxSpawnDepth: 2 } } })
  const { client, start, store } = harness
  const top = await start({ prompt: "top" })
  await eventually(() => model.isWaiting(top))
  model.reply(top, { text: "done" })
  const ended = await client.wait(top)
  const { id: child } = await client.create({ parentId: top, cwd: harness.cwd, actor })
  await client.send({ sessionId: child, text: "work", type: "message", actor })
  await eventually(() => model.isWaiting(child))
  const before = await store.sessions.get(top)
  expect(await client.cancel(top, actor)).toEqual({ status: "completed" })
  expect((await client.info(child)).status).toBe("cancelled")
  expect(await store.sessions.get(top)).toEqual(before)
  expect(await client.outcome(top)).toEqual(ended)
  const { items } = await client.audit({ sessionId: child })
  expect(items.map(({ action, by }) => [action, by])).toContainEqual(["cancel", "test"])
  expect(await client.cancel(top, actor)).toEqual({ status: "completed" })
})
