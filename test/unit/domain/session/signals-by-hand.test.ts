import { expect, it } from "vitest"
import { countSignalByHand, ignoredReason, noSignalsByHand } from "../../../../domain/session/signals-by-hand.ts"

it("distinguishes ignored, applied and unhandled signals of one name", () => {
  const typed = [undefined, "no call waits", undefined].reduce(
    (state, problem) => countSignalByHand(state, "approve", problem),
    countSignalByHand(noSignalsByHand, "steer", "full"),
  )
  const reason = (name: string, ordinal: number) => ignoredReason(typed, { name, ordinal })
  expect([1, 2, 3, 4].map((ordinal) => reason("approve", ordinal))).toEqual([null, "no call waits", null, undefined])
  expect([reason("steer", 1), reason("steer", 2), reason("constructor", 1)]).toEqual(["full", undefined, undefined])
})

it("keeps a bounded number of reasons", () => {
  const typed = Array.from({ length: 500 }).reduce<typeof noSignalsByHand>(
    (state) => countSignalByHand(state, "approve", "x".repeat(1_000)),
    noSignalsByHand,
  )
  expect(JSON.stringify(typed).length).toBeLessThan(100_000)
  expect(ignoredReason(typed, { name: "approve", ordinal: 500 })).toBe("x".repeat(300))
})
