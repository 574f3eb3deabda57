import { afterEach, describe, expect, it } from "vitest"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

interface Handlers {
  readonly signalDefinitions: readonly Handler[]
  readonly queryDefinitions: readonly Handler[]
  readonly updateDefinitions: readonly Handler[]
}
interface Handler {
  readonly name: string
  readonly description?: string
}

let harness: Harness
afterEach(() => harness.close())

describe("a session in the Temporal UI", () => {
  it("describes every signal, query and update that it accepts", async () => {
    harness = await openHarness({ model: createFakeTurns({ text: "Which file?" }) })
    const id = await harness.start({ auto_approve: false, pause_on_approval: true })
    await harness.client.wait(id)
    const { definition } = await harness.handle(id).query<{ definition: Handlers }>("__temporal_workflow_metadata")
    const all = [...definition.signalDefinitions, ...definition.updateDefinitions, ...definition.queryDefinitions]
    const own = all.filter(({ name }) => !name.startsWith("__"))
    expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining(["approve", "decide", "setModel", "pending"]))
    expect(own.filter(({ description = "" }) => description === "")).toEqual([])
  })
})
