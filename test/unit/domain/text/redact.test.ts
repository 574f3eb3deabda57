import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { redact } from "../../../../domain/text/redact.ts"

describe("redact", () => {
  it("removes a secret wherever and however it appears", () => {
    const secret = 'k"ey+/= 1'
    const text = `${secret} ${JSON.stringify({ secret })} https://x/?k=${encodeURIComponent(secret)}`
    const clean = redact(text, [secret])
    expect(clean).toBe('[redacted] {"secret":"[redacted]"} https://x/?k=[redacted]')
  })
  it("removes the longer of two secrets completely", () => {
    expect(redact("abcdef", ["abcd", "abcdef"])).toBe("[redacted]")
  })
  it("does not read a secret as a pattern", () => {
    expect(redact("$& aaaa .*.*", [".*.*"])).toBe("$& aaaa [redacted]")
  })
  it("leaves no secret of four characters or more", () => {
    const secret = fc.string({ minLength: 4 }).filter((each) => !"[redacted]".includes(each))
    fc.assert(
      fc.property(secret, (each) => !redact("<", [each]).includes(each) && redact(`<${each}>`, [each]) !== `<${each}>`),
    )
  })
})
