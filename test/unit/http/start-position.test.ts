import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { startPosition } from "../../../http/sse/start-position.ts"

const bounds = fc
  .record({ firstId: fc.integer({ min: 1, max: 1_000 }), count: fc.integer({ min: 0, max: 1_000 }) })
  .map(({ firstId, count }) => ({ firstId, lastId: firstId + count - 1 }))

describe("the start position of a stream", () => {
  it("skips no existing event without saying so", () => {
    fc.assert(
      fc.property(fc.nat(3_000), bounds, (cursor, log) => {
        const { after, isGone } = startPosition({ cursor, live: false }, log)
        expect(isGone).toBe(cursor < log.firstId - 1 || cursor > log.lastId)
        expect(after).toBe(isGone ? log.firstId - 1 : cursor)
        expect(after).toBeGreaterThanOrEqual(log.firstId - 1)
        expect(after).toBeLessThanOrEqual(Math.max(log.lastId, log.firstId - 1))
      }),
    )
  })

  it("is the beginning, or the end if only new events are requested; a cursor takes precedence over both", () => {
    const log = { firstId: 4, lastId: 9 }
    expect(startPosition({ cursor: undefined, live: false }, log)).toEqual({ after: 3, isGone: false })
    expect(startPosition({ cursor: undefined, live: true }, log)).toEqual({ after: 9, isGone: false })
    expect(startPosition({ cursor: 5, live: true }, log)).toEqual({ after: 5, isGone: false })
  })
})
