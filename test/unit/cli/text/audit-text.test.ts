import { expect, it } from "vitest"
import { auditDetailText } from "../../../../cli/text/audit-text.ts"

const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`call_${index}`, "accept"]))

it.each([
  [
    { checkpoint_id: "cp_1", decision_id: "d", decisions: { a: "accept", b: "reject", c: "accept" } },
    "accept a, c; reject b; checkpoint id: cp_1; decision id: d",
  ],
  [{ decisions: {}, all: "accept" }, "accept all"],
  [{ calls: ["a", "b"], ignored: "no call a waits here" }, "ignored: no call a waits here; calls: a, b"],
  [{ calls: "all" }, "calls: all"],
  [{ tool: "Task", limits: { maxSteps: 3 } }, 'tool: Task; limits: {"maxSteps":3}'],
  [{}, ""],
])("shows %j as %s", (detail, text) => {
  expect(auditDetailText(detail)).toBe(text)
})

it("names every decided call", () => {
  expect(auditDetailText({ decisions: many })).toContain("call_38, call_39")
})
