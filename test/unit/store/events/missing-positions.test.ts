import { expect, test } from "vitest"
import { MissingPositions, mostMissing } from "../../../../store/events/store-wide/missing-positions.ts"

const writers = (...names: readonly string[]): ReadonlySet<string> => new Set(names)

test("a position without an event is missing until a read finds it", () => {
  const missing = new MissingPositions()
  expect(missing.note({ from: 5, present: [6, 8] })).toBe(true)
  expect(missing.positions).toEqual([5, 7])
  missing.settle(writers("a"))
  missing.found([5])
  missing.settle(writers("a"))
  expect(missing.positions).toEqual([7])
})

test("a position is given up when the transactions that were open have ended, whatever began since", () => {
  const missing = new MissingPositions()
  missing.note({ from: 1, present: [2] })
  missing.settle(writers("a", "b"))
  missing.settle(writers("b", "c"))
  expect(missing.lowest).toBe(1)
  missing.settle(writers("c", "d"))
  expect(missing.lowest).toBeUndefined()
})

test("a position is given up at once if no transaction is open", () => {
  const missing = new MissingPositions()
  missing.note({ from: 1, present: [3] })
  missing.settle(writers())
  expect(missing.positions).toEqual([])
})

test("only the newest positions are looked for", () => {
  const missing = new MissingPositions()
  missing.note({ from: 1, present: [10 * mostMissing] })
  expect(missing.positions).toHaveLength(mostMissing)
  expect(missing.lowest).toBe(9 * mostMissing)
  missing.note({ from: 10 * mostMissing + 1, present: [20 * mostMissing] })
  expect(missing.positions).toHaveLength(mostMissing)
  expect(missing.lowest).toBe(19 * mostMissing)
})
