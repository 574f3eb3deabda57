import { expect, it } from "vitest"
import { raisedLimits, withLimits } from "../../../../domain/limits/raise-limit.ts"

const base = { maxSteps: 30, timeoutSeconds: 60, budgetMicroUsd: 1_000, budgetTokens: null }
const more = { maxSteps: 31, timeoutSeconds: 0, budgetMicroUsd: null, budgetTokens: 5 }

it.each([
  ["max_steps", ["maxSteps"]],
  ["timeout", ["timeoutSeconds"]],
  ["budget", ["budgetMicroUsd"]],
  ["completed", []],
  ["error", []],
  ["cancelled", []],
  [null, []],
] as const)("after %s, a request can raise %j", (stopReason, names) => {
  expect(raisedLimits(base, more, stopReason)).toEqual(names)
  expect(raisedLimits(base, base, stopReason)).toEqual([])
})

it("raises no limit of a run that has none", () => {
  expect(raisedLimits({ ...base, timeoutSeconds: 0 }, { ...more, timeoutSeconds: 60 }, "timeout")).toEqual([])
  expect(raisedLimits(more, base, "max_steps")).toEqual([])
})

it("replaces only the named limits", () => {
  expect(withLimits(base, ["timeoutSeconds"], more)).toEqual({ ...base, timeoutSeconds: 0 })
})
