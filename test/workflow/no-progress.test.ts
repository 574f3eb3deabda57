import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { createFakeModel, type FakeReply } from "../helpers/models/fake-model.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }

afterEach(() => harness.close())

const write: FakeReply = { calls: [["Write", { file_path: "a.txt", content: "a" }]] }

const open = async (reply: (turn: number) => FakeReply, config: ConfigInput = {}): Promise<Harness> => {
  harness = await openHarness({ config, model: createFakeModel((_, turn) => reply(turn)) })
  return harness
}

describe("a run whose calls come to nothing again and again", () => {
  it.each([
    ["refused by policy", write, { tools: { policy: { Write: "never" } } }, "policy never allows Write"],
    ["with arguments that do not fit", { calls: [["Read", {}]] }, {}, "the arguments of Read do not fit"],
    ["that fail", { calls: [["Read", { file_path: "missing.txt" }]] }, {}, "no such file or directory"],
  ] satisfies readonly [string, FakeReply, ConfigInput, string][])(
    "ends after ten calls %s",
    async (_, reply, config, why) => {
      const { client, start } = await open(() => reply, config)
      const id = await start({ prompt: "go" })
      expect(await client.wait(id)).toMatchObject({
        ...{ outcome: "failed", steps_taken: 10 },
        error: { code: "no_progress", message: expect.stringMatching(new RegExp(`10 times in a row.*${why}`, "s")) },
      })
    },
  )

  it("continues while something changes in between", async () => {
    const other = (turn: number): FakeReply => ({ calls: [["Write", { file_path: "b.txt", content: `${turn}` }]] })
    const missing: FakeReply = { calls: [["Read", { file_path: "missing.txt" }]] }
    const { client, start } = await open((turn) =>
      turn > 24 ? { text: "done" } : turn % 8 === 0 ? other(turn) : missing,
    )
    expect(await client.wait(await start({ prompt: "go" }))).toMatchObject({ outcome: "completed" })
  })
})

describe("a call that a person rejects again and again", () => {
  it("is asked about with the earlier rejections, and then the run asks for an instruction", async () => {
    const { client, start } = await open((turn) => (turn < 4 ? write : { text: "I stop." }))
    const id = await start({ prompt: "go", auto_approve: false })
    const messages: string[] = []
    for (let round = 1; round <= 3; round += 1) {
      const document = await client.wait(id)
      if (document?.outcome !== "paused") throw new Error(JSON.stringify(document))
      messages.push(document.agent_message)
      const all = { action: "reject", content: `No ${round}.` } as const
      await client.decide({ sessionId: id, checkpointId: document.checkpoint_id, all, unlisted: "pending", actor })
    }
    expect(messages[1]).toContain("rejected once already, last because: No 1.")
    expect(messages[2]).toContain("rejected 2 times already, last because: No 2.")
    expect(await client.wait(id)).toMatchObject({
      outcome: "paused",
      pause_reason: { type: "input_required" },
      agent_message: expect.stringContaining("rejected 3 times in a row (last reason: No 3.)"),
    })
    await client.send({ sessionId: id, type: "message", text: "Stop.", actor })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "I stop." })
  })
})
