import { expect, it } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import { isOutage, outageDelayMs } from "../../../../domain/engine/outage-policy.ts"

it("counts what store and engine prevent as an outage, and nothing else", () => {
  expect(isOutage(new AdjutantError("storage_failed", "the disk is full"))).toBe(true)
  expect(isOutage(new AdjutantError("temporal_unavailable", "nothing answers"))).toBe(true)
  expect(isOutage(new AdjutantError("invalid_argument", "no such call"))).toBe(false)
  expect(isOutage(new Error("a bug"))).toBe(false)
})

it("does not wait for a row whose JSON is damaged", () => {
  const cause = new SyntaxError("Unexpected end of JSON input")
  expect(isOutage(new AdjutantError("storage_failed", "a row is damaged", { cause }))).toBe(false)
})

it("waits longer after each failure, up to ten seconds", () => {
  expect([1, 2, 3, 7, 1_000].map(outageDelayMs)).toEqual([200, 400, 800, 10_000, 10_000])
})
