import { expect, it } from "vitest"
import { resultsText } from "../../../../bench/agent/results-text.ts"
import { wastedCalls } from "../../../../bench/agent/wasted-calls.ts"

it("adds up what an agent solved, used and wasted", () => {
  const agent = { model: "main", profile: "general", maxSteps: 60, dataDir: "/data" }
  const result = {
    task: "a",
    isSolved: true,
    end: "completed",
    steps: 4,
    tokens: 100,
    costUsd: 0.5,
    wasted: 1,
    seconds: 3,
  }
  const text = resultsText(agent, [result, { ...result, task: "b", isSolved: false, end: "max_steps" }])
  expect(text).toContain("| b | no | max_steps | 4 | 100 | $0.5000 | 1 | 3 |")
  expect(text).toContain("| all | 1 of 2 |  | 8 | 200 | $1.0000 | 2 | 6 |")
  expect(resultsText(agent, [{ ...result, costUsd: null }])).toContain("| all | 1 of 1 |  | 4 | 100 | unknown |")
})

it("counts calls that did not run as wasted, and not those that failed", () => {
  const rows = [
    { message: { role: "assistant", parts: [] } },
    { message: { role: "tool", outcome: "ok" } },
    { message: { role: "tool", outcome: "error" } },
    { message: { role: "tool", outcome: "error", executed: false } },
    { message: { role: "tool", outcome: "rejected" } },
  ]
  expect(wastedCalls(`${rows.map((row) => JSON.stringify(row)).join("\n")}\n`)).toBe(2)
})
