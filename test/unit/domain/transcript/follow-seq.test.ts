import { expect, it } from "vitest"
import { followSeq } from "../../../../domain/transcript/follow-seq.ts"

const rows = (...places: readonly (readonly [seq: number, role: string])[]) =>
  places.map(([seq, role]) => ({ seq, message: { role } }))

it("reads on after the last row, or before the first gap that a running call can still fill", () => {
  expect(followSeq([])).toBe(0)
  expect(followSeq([], 7)).toBe(7)
  const asked = [[1, "user"] as const, [2, "assistant"] as const]
  expect(followSeq(rows(...asked))).toBe(2)
  expect(followSeq(rows(...asked, [4, "tool"]))).toBe(2)
  expect(followSeq(rows(...asked, [3, "tool"], [5, "tool"], [6, "tool"]))).toBe(3)
  expect(followSeq(rows([6, "tool"]), 3)).toBe(3)
  expect(followSeq(rows([4, "tool"]), 3)).toBe(4)
})

it("leaves gaps before an answer or a message: no call before them still runs", () => {
  expect(followSeq(rows([1, "user"], [2, "assistant"], [4, "tool"], [5, "assistant"]))).toBe(5)
  expect(followSeq(rows([1, "user"], [2, "assistant"], [4, "tool"], [5, "user"], [6, "assistant"]))).toBe(6)
})
