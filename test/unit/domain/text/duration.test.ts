import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseDuration } from "../../../../domain/text/duration.ts"

describe("parseDuration", () => {
  it.each([
    ["24h", 86_400_000],
    ["90m", 5_400_000],
    ["1h30m", 5_400_000],
    ["45s", 45_000],
    ["7d", 604_800_000],
    ["250ms", 250],
    ["1.5h", 5_400_000],
    [" 2H ", 7_200_000],
    ["off", 0],
  ])("parses %s", (text, expected) => {
    expect(parseDuration(text)).toBe(expected)
  })

  it.each(["", "h", "10", "-5m", "5 m", "24hours", "1h-2m", "٣h", "1e3s"])("rejects %j", (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })

  it("never throws and never returns a negative time", () => {
    fc.assert(fc.property(fc.string(), (text) => (parseDuration(text) ?? 0) >= 0))
  })
})
