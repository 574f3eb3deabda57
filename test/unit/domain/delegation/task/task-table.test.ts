import { describe, expect, it } from "vitest"
import { taskTable } from "../../../../../domain/delegation/task/task-table.ts"

const row = {
  id: "abc123",
  status: "running",
  description: "Find it",
  startedAt: "2026-02-18T10:00:00.123Z",
  durationMs: 312_000,
  stepsTaken: 4,
} as const

describe("taskTable", () => {
  it("has a column for each of id, status, description, start, duration and steps", () => {
    expect(taskTable([row]).split("\n")).toEqual([
      "| ID | Status | Description | Started | Duration | Steps |",
      "| --- | --- | --- | --- | --- | --- |",
      "| abc123 | running | Find it | 2026-02-18 10:00:00Z | 5m12s | 4 |",
    ])
  })

  it("says so if there are no tasks", () => {
    expect(taskTable([])).toBe("No tasks.")
  })

  it("keeps any description in its cell", () => {
    const text = taskTable([
      { ...row, description: `a | b\nc \`<x> ${"long ".repeat(50)}`, startedAt: null, durationMs: null },
    ])
    expect(text.split("\n")).toHaveLength(3)
    expect(text).toContain("a \\| b c \\`\\<x>")
    expect(text).toMatch(/… \| - \| - \| 4 \|$/)
  })
})
