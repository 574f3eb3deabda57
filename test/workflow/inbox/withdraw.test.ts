import { afterEach, describe, expect, it } from "vitest"
import { openHarness, type Harness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"

let harness: Harness
const actor = { by: "mia", via: "http" }

afterEach(() => harness.close())

const openHeld = async () => {
  const model = createHeldModel()
  harness = await openHarness({ model: model.provider })
  const id = await harness.start({ prompt: "first" })
  await eventually(() => model.isWaiting(id))
  return { ...harness, model, id }
}

const textsOf = async (id: string): Promise<readonly string[]> =>
  (await harness.client.messages(id)).map(({ message }) => (message.role === "user" ? message.text : message.role))

describe("a queued message that is taken back", () => {
  it("is never read, as steering or as the start of another run", async () => {
    const { client, model, id } = await openHeld()
    await client.send({ sessionId: id, text: "Left!", type: "steering", actor })
    await client.send({ sessionId: id, text: "Right!", type: "steering", actor })
    await client.send({ sessionId: id, text: "And then?", type: "follow_up", actor })
    const queued = (await client.info(id)).queued_messages
    expect(queued.map(({ text }) => text)).toEqual(["Left!", "Right!", "And then?"])
    for (const { id: messageId, text } of queued) if (text !== "Right!") await client.withdraw(id, messageId, actor)
    expect((await client.info(id)).queued_messages.map(({ text }) => text)).toEqual(["Right!"])
    model.reply(id, { text: "one" })
    await eventually(() => model.isWaiting(id))
    model.reply(id, { text: "two" })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "two" })
    expect(await textsOf(id)).toEqual(["first", "assistant", "Right!", "assistant"])
    const { items } = await client.audit({ sessionId: id })
    expect(items.filter(({ action }) => action === "withdraw-message")).toMatchObject([{ by: "mia" }, { by: "mia" }])
  })

  it("is refused once a run has read it, and where nobody sent it", async () => {
    const { client, model, id } = await openHeld()
    await client.send({ sessionId: id, text: "Left!", type: "steering", actor })
    const [message] = (await client.info(id)).queued_messages
    model.reply(id, { text: "one" })
    await eventually(() => model.isWaiting(id))
    const withdraw = (messageId: string) => client.withdraw(id, messageId, actor)
    await expect(withdraw(message?.id ?? "")).rejects.toMatchObject({ code: "message_not_queued" })
    await expect(withdraw("msg_unknown")).rejects.toMatchObject({ code: "message_not_queued" })
    model.reply(id, { text: "two" })
    await client.wait(id)
    await expect(withdraw(message?.id ?? "")).rejects.toMatchObject({ code: "message_not_queued" })
    expect(await textsOf(id)).toContain("Left!")
  })
})
