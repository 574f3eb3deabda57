import { afterEach, describe, expect, it } from "vitest"
import type { Store } from "../../../store/store.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// The instruction of a run that could not be opened started the next run, which could not be opened either,
// and so on.

let harness: Harness
const actor = { by: "test", via: "cli" }
afterEach(() => harness.close())

describe("a run whose settings cannot be read", () => {
  it("fails once, and a later message starts another run", async () => {
    let isGone = true
    harness = await openHarness({
      model: createFakeTurns({ text: "Heard." }),
      workerStore: (store): Store => ({
        ...store,
        snapshots: { ...store.snapshots, get: async (hash) => (isGone ? undefined : await store.snapshots.get(hash)) },
      }),
    })
    const { client, store } = harness
    const id = await harness.start({ prompt: "First." })
    await eventually(async () => (await harness.handle(id).describe()).status.name === "FAILED")
    expect(await store.runs.list(id)).toMatchObject([{ status: "failed", error: { code: expect.any(String) } }])
    isGone = false
    await client.send({ sessionId: id, text: "Second.", type: "message", actor })
    await eventually(async () => (await client.info(id)).status === "completed")
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Heard." })
    expect(await store.runs.list(id)).toHaveLength(2)
  })
})
