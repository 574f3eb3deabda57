import { afterEach, describe, expect, it } from "vitest"
import { openHarness, type Harness } from "../../helpers/engine/workflow-harness.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "mia", via: "http" }
const write = { calls: [["Write", { file_path: "a.txt", content: "a" }]] } as const

describe("a call that is approved with a note", () => {
  it("gives the agent the note after its result", async () => {
    harness = await openHarness({ model: createFakeTurns(write, { text: "Noted." }) })
    const { client, start } = harness
    const id = await start({ auto_approve: false })
    const paused = await client.wait(id)
    if (paused?.outcome !== "paused") throw new Error(`not paused but ${paused?.outcome}`)
    const decisions = { call_1_1: { action: "accept", content: "Mind the tests." } } as const
    await client.decide({ sessionId: id, checkpointId: paused.checkpoint_id, decisions, unlisted: "pending", actor })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    const results = (await client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message] : []))
    expect(results).toMatchObject([
      {
        outcome: "ok",
        content: expect.stringMatching(/\n\nThe person who approved this call says: Mind the tests\.$/),
      },
    ])
  })
})
