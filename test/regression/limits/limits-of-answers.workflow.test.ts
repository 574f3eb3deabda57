import { afterEach, describe, expect, it } from "vitest"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// Limits that came with the answer to a question applied only from the next run on, if there was one.

let harness: Harness
let seen: (readonly string[])[]
const actor = { by: "test", via: "http" }

afterEach(() => harness.close())

/** A session that asks after its first turn, and continues with calls after that. */
const startAsking = async (): Promise<string> => {
  seen = []
  harness = await openHarness({
    config: { agents: { general: { delegation: "none" } } },
    model: createFakeModel((request, turn) => {
      seen.push(request.tools.map(({ name }) => name).filter((name) => name !== "finish"))
      return turn === 1 ? { text: "Which one?" } : { calls: [["LS", {}]] }
    }),
  })
  const id = await harness.start({ allowed_tools: ["LS", "Read", "Write"], pause_on_approval: true, max_steps: 20 })
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "paused" })
  return id
}

const answer = (sessionId: string, limits: Parameters<Harness["client"]["send"]>[0]["limits"]) =>
  harness.client.send({ sessionId, text: "That one.", type: "message", ...(limits ? { limits } : {}), actor })

describe("limits that come with an answer", () => {
  it("apply to the run that the answer continues, and to later runs", async () => {
    const id = await startAsking()
    await answer(id, { allowed_tools: ["LS"], max_steps: 3 })
    expect(await harness.client.wait(id)).toMatchObject({ stop_reason: "max_steps", steps_taken: 3 })
    // The last one is the answer after the steps.
    expect(seen).toEqual([["LS", "Read", "Write"], ["LS"], ["LS"], ["LS"]])
    const run = await harness.store.runs.latest(id)
    const snapshot = await harness.store.snapshots.get(run?.snapshotHash ?? "")
    expect(snapshot).toMatchObject({ tools: ["LS"], limits: { maxSteps: 3 } })
  })

  it("are rejected if they are wider, and the question stays open", async () => {
    const id = await startAsking()
    await expect(answer(id, { max_steps: 30 })).rejects.toMatchObject({ code: "limit_widened" })
    expect((await harness.client.info(id)).status).toBe("paused")
    await answer(id, undefined)
    expect(await harness.client.wait(id)).toMatchObject({ stop_reason: "max_steps", steps_taken: 20 })
  })
})
