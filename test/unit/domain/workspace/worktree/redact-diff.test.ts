import { createTwoFilesPatch } from "diff"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { redactDiff } from "../../../../../domain/workspace/worktree/redact-diff.ts"
import { createRedact } from "../../../../../domain/text/redact.ts"

const body = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj", "qRGFQQ=="]
const key = ["-----BEGIN PRIVATE KEY-----", ...body, "-----END PRIVATE KEY-----"].join("\n")

const redacted = (diff: string, ...secrets: readonly string[]): string => redactDiff(diff, createRedact(secrets))
const patchOf = (before: string, after: string): string => createTwoFilesPatch("a/f", "b/f", before, after)

describe("a diff", () => {
  it.each([
    ["added", "", `${key}\n`],
    ["deleted", `${key}\n`, ""],
    ["as lines around a change", `${key}\nold\n`, `${key}\nnew\n`],
    ["in one version only", `${key.replace(body[1] ?? "", "x")}\n`, `${key}\n`],
    ["with Windows line ends", "", `${key.replaceAll("\n", "\r\n")}\r\n`],
    ["without a line end, in a larger line", "", `key = "${key}"`],
  ])("contains no line of a secret that is %s", (_, before, after) => {
    const diff = patchOf(before, after)
    const clean = redacted(diff, key)
    for (const line of body) expect(clean).not.toContain(line)
    // Hunks have as many lines as their heads say.
    const marks = (text: string) => text.split("\n").map((line) => line.slice(0, 1))
    expect(marks(clean)).toEqual(marks(diff))
  })

  it("contains no longer line of a secret that it shows a part of", () => {
    const diff = `@@ -9,2 +9,2 @@ ${body[0]}\n ${body[1]}\n-old\n+    ${body[0]} # indented\n`
    expect(redacted(diff, key)).toBe("@@ -9,2 +9,2 @@ [redacted]\n [redacted]\n-old\n+    [redacted] # indented\n")
    expect(redacted(`@@ -9,2 +9,2 @@ ${body[0]?.slice(0, 20)}\n`, key)).toBe("@@ -9,2 +9,2 @@ [redacted]\n")
  })

  it("keeps what is in all keys, and what is not secret", () => {
    const diff = `@@ -1 +1,3 @@\n-----BEGIN PRIVATE KEY-----\n+-----BEGIN PRIVATE KEY-----\n+qRGFQQ==\n+other\n`
    expect(redacted(diff, key)).toBe(diff)
    expect(redacted(diff)).toBe(diff)
  })

  it("contains no secret of one line", () => {
    expect(redacted(`+a hunter22\n-${key.split("\n")[1]}\n`, "hunter22", key)).toBe("+a [redacted]\n-[redacted]\n")
    // As it is in a file.
    expect(redacted("+a hunter22\n b\n", "hunter22\n")).toBe("+a [redacted]\n b\n")
  })

  it("contains no secret of several lines in either version, whatever surrounds it", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", "+", "-", " "), minLength: 1, maxLength: 3 })
    const lines = fc.array(line, { maxLength: 4 })
    const secretLines = fc.array(line, { minLength: 2, maxLength: 4 }).filter((each) => each.join("").length >= 4)
    fc.assert(
      fc.property(secretLines, fc.tuple(lines, lines, lines, lines), fc.boolean(), (secret, texts, isKept) => {
        const [a, b, c, d] = texts.map((each) => each.map((text) => `<${text}>`))
        const value = secret.join("\n")
        const files = [
          [...(a ?? []), ...(isKept ? [value] : []), ...(b ?? [])],
          [...(c ?? []), value, ...(d ?? [])],
        ]
        const [before = "", after = ""] = files.map((each) => `${each.join("\n")}\n`)
        const clean = redacted(patchOf(before, after), value).split("\n").slice(4)
        for (const other of ["+", "-"]) {
          const side = clean.filter((each) => !each.startsWith(other)).map((each) => each.slice(1))
          expect(`\n${side.join("\n")}\n`).not.toContain(`\n${value}\n`)
        }
      }),
    )
  })
})
