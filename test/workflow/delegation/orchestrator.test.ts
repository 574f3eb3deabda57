import { afterEach, describe, expect, it } from "vitest"
import { createTreeModel, readToolResults } from "../../helpers/limits/tree-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness

afterEach(() => harness.close())

/** Returns the id of the sub-agent without a number of its own in a list that the model was shown. */
const leafOf = (messages: unknown): string => /\| - \| (\w+) \|/.exec(JSON.stringify(messages))?.[1] ?? ""

describe("an orchestrator", () => {
  it("lists and reads everything below it, by the numbers that its list shows", async () => {
    let middle = ""
    harness = await openHarness({
      config: { subagents: { maxSpawnDepth: 3 } },
      model: createTreeModel(
        (turn, { messages }) => {
          middle ||= /started: (\w+) /.exec(JSON.stringify(messages))?.[1] ?? ""
          if (turn === 1) return { calls: [["sessions_spawn", { task: "middle", label: "mid" }]] }
          if (turn === 2) return { text: "waiting" }
          if (turn === 3)
            return {
              calls: [
                ["sessions_list", {}],
                ["sessions_list", { parent: "mid" }],
                // The label of another session's sub-agent.
                ["sessions_history", { sessionKey: "leafy" }],
                ["subagents", { action: "list" }],
                ["subagents", { action: "info", target: "#1" }],
                ["subagents", { action: "info", target: "#2" }],
              ],
            }
          if (turn === 4) return { calls: [["sessions_history", { sessionKey: leafOf(messages) }]] }
          return { text: "done" }
        },
        (task, turn) => {
          if (task === "leaf") return { text: "leaf words" }
          return turn === 1
            ? { calls: [["sessions_spawn", { task: "leaf", label: "leafy" }]] }
            : { text: "middle words" }
        },
      ),
    })
    const { client, start } = harness
    const id = await start({ prompt: "PARENT" })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    const [leaf] = (await client.list({ parent: middle })).items
    const [spawned, all, below, unknown, own, first, second, history] = await readToolResults(harness, id)
    expect(spawned).toMatch(/, run run_\w+/)
    expect(all).toContain(`| #1 | ${middle} |`)
    expect(all).toContain(`| - | ${leaf?.id} |`)
    expect(below).toContain(leaf?.id)
    expect(below).not.toContain(middle)
    expect(unknown).toContain("no sub-agent of yours is leafy")
    expect(history).toContain("leaf words")
    expect(own).toContain(`| #1 | ${middle} |`)
    expect(own).not.toContain(leaf?.id)
    expect(first).toContain("mode: run, cleanup keep")
    expect(second).toContain("no sub-agent of yours is #2")
  })
})
