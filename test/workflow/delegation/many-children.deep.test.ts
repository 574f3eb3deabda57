import { afterEach, describe, expect, it } from "vitest"
import { readAnnouncements, readToolResults, createTreeModel } from "../../helpers/limits/tree-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness

afterEach(() => harness.close())

describe("a parent of many children", () => {
  it("gets every result of fifty children, at most twenty at a time, and its history grows by the same for each", async () => {
    const rounds = 3
    harness = await openHarness({
      config: { subagents: { maxChildrenPerAgent: 20, maxConcurrent: 0 } },
      model: createTreeModel(
        (turn) => {
          const spawned = (turn - 1) * 20
          const count = Math.min(20, 50 - spawned)
          if (turn > rounds) return { text: "all in" }
          return {
            calls: [
              ...Array.from(
                { length: count },
                (_, index) => ["sessions_spawn", { task: `child ${spawned + index}` }] as const,
              ),
              ["sessions_yield", {}] as const,
            ],
          }
        },
        (task) => ({ text: `result of ${task}` }),
      ),
    })
    const { client, start, handle } = harness
    const id = await start({ prompt: "PARENT" })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "all in" })
    const told = [...(await readToolResults(harness, id)), ...(await readAnnouncements(harness, id))]
    const heard = told.flatMap((text) => [...text.matchAll(/result of child (\d+)/g)].map((match) => match[1]))
    expect(new Set(heard).size).toBe(50)
    expect(heard).toHaveLength(50)
    const { historyLength } = await handle(id).describe()
    expect(historyLength / 50).toBeLessThan(40)
  })
})
