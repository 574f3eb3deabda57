import { describe, expect, it } from "vitest"
import type { ToolMessage, ToolOutcome } from "../../../../../contracts/message.ts"
import { toolUseOf } from "../../../../../domain/delegation/task/tool-use.ts"

const row = (name: string, outcome: ToolOutcome, rest: Partial<ToolMessage> = {}) => ({
  runId: "run_1",
  message: { role: "tool" as const, call_id: "c", name, outcome, content: `${name} ${outcome}`, ...rest },
})

describe("toolUseOf", () => {
  it.each([
    ["ok", 1],
    ["error", 1],
    ["unknown", 1],
    ["rejected", 0],
    ["skipped", 0],
    ["custom", 0],
  ] as const)("counts a call with the outcome %s %i times", (outcome, count) => {
    expect(Object.values(toolUseOf([row("Bash", outcome)], "run_1").toolCounts)).toEqual(count === 0 ? [] : [count])
  })

  it("does not count an error of a call that was never executed", () => {
    const rows = [row("Read", "ok"), row("Write", "error", { executed: false })]
    expect(toolUseOf(rows, "run_1")).toEqual({ toolCounts: { Read: 1 }, lastToolText: "Write error" })
  })

  it("does not count calls of other runs", () => {
    expect(toolUseOf([row("Read", "ok")], "run_2")).toEqual({ toolCounts: {}, lastToolText: null })
  })
})
