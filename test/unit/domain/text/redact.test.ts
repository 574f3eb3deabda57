import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createRedact, redactedTail } from "../../../../domain/text/redact.ts"

const redact = (text: string, secrets: readonly string[]): string => createRedact(secrets)(text)

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

/** Redacts a text that arrives in pieces, as a stream does. */
const redactPieces = (pieces: readonly string[], secrets: readonly string[]): readonly string[] => {
  const redactText = createRedact(secrets)
  let held = ""
  const written = pieces.map((piece) => {
    const all = held + piece
    const settled = redactText.settledLength?.(all) ?? all.length
    held = all.slice(settled)
    return redactText(all.slice(0, settled))
  })
  return [...written, redactText(held)]
}

describe("settledLength", () => {
  it("withholds the end of a text only while it may become a secret", () => {
    expect(redactPieces(["say hu", "ndred", " hunter", "2 and hunter", "3"], ["hunter2"])).toEqual([
      "say ",
      "hundred",
      " ",
      "[redacted] and ",
      "hunter3",
      "",
    ])
  })
  it("withholds a secret with which a longer one starts", () => {
    expect(redactPieces(["xabcd", "ef."], ["abcd", "abcdef"])).toEqual(["x", "[redacted].", ""])
  })
  it("does not cut a secret that ends as it starts", () => {
    expect(redactPieces(["xabab", "."], ["abab"])).toEqual(["x[redacted]", ".", ""])
  })
  it("finds every secret wherever the pieces end", () => {
    const word = fc.array(fc.constantFrom("a", "b"), { minLength: 4, maxLength: 8 }).map((letters) => letters.join(""))
    const text = fc.array(fc.constantFrom("a", "b", " "), { maxLength: 40 }).map((letters) => letters.join(""))
    fc.assert(
      fc.property(word, fc.array(text, { minLength: 1, maxLength: 6 }), (secret, pieces) => {
        const clean = redactPieces(pieces, [secret]).join("")
        expect(clean).toBe(redact(pieces.join(""), [secret]))
      }),
    )
  })
})

describe("redactedTail", () => {
  const tail = (text: string, characters: number): string => redactedTail(text, characters, createRedact(["hunter2"]))
  it("shows no end of a secret that its own cut would leave, and no beginning of one", () => {
    expect(tail("say hunter2.", 5)).toBe("ted].")
    expect(tail("say hunt", 20)).toBe("say ")
    expect(tail("say hurry", 20)).toBe("say hurry")
  })
  it("is the whole end without secrets, and well formed", () => {
    expect(redactedTail("abc", 2, createRedact([]))).toBe("bc")
    expect(tail("\u{1f600}b", 2)).toBe("\ufffdb")
  })
})
