import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { previewOf } from "../../../../../domain/text/preview.ts"
import { startOf, wellFormed } from "../../../../../domain/text/foreign/well-formed.ts"

describe("wellFormed", () => {
  it("repairs every text and key, at any depth", () => {
    const broken = { a: ["x\ud83d", { "k\udc00": "y" }], n: 1, none: null }
    expect(wellFormed(broken)).toEqual({ a: ["x\ufffd", { "k\ufffd": "y" }], n: 1, none: null })
  })

  it("returns what is well formed itself, whatever it contains", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = wellFormed(value)
        return Object.is(wellFormed(once), once)
      }),
    )
    const bytes = { media: new Map([["a", "b"]]) }
    expect(wellFormed(bytes)).toBe(bytes)
  })
})

describe("startOf", () => {
  it("cuts on a whole character", () => {
    expect(startOf("ab🙂c", 3)).toBe("ab")
    expect(startOf("ab🙂c", 4)).toBe("ab🙂")
    expect(startOf("ab🙂", 4)).toBe("ab🙂")
    expect(startOf("🙂", 0)).toBe("")
    expect(previewOf(`${"x".repeat(255)}🙂`)).toBe("x".repeat(255))
  })

  it("keeps a well-formed text well formed, and within its limit", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, most) => {
        const start = startOf(text, most)
        return start.isWellFormed() && start.length <= most && text.startsWith(start)
      }),
    )
  })
})
