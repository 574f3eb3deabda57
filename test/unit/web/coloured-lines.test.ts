import { describe, expect, it } from "vitest"
import { diffLines } from "../../../domain/preview/diff-lines.ts"
import { changedWords } from "../../../web/shown/changed-words.ts"
import { type ColouredPart, colouredLines, withChanges } from "../../../web/shown/coloured-lines.ts"
import { sideBySide } from "../../../web/shown/side-by-side.ts"

const diff = `--- a/a.ts
+++ b/a.ts
@@ -1,4 +1,5 @@
 /* one
-   const "two" <b>
+   const "three" <b>
+   four
 */
 const five = '</script>'
`

const textOf = (parts: readonly ColouredPart[] = []): string => parts.map(({ text }) => text).join("")

describe("the colours of a diff", () => {
  const lines = diffLines(diff)

  it("are those of the language, and change no character", () => {
    const colours = colouredLines(lines, "src/a.ts")
    const code = lines.map((_, index) => textOf(colours.get(index)))
    expect(code).toEqual(["", ...lines.slice(1).map(({ text }) => text.slice(1))])
    expect(colours.get(lines.findIndex(({ text }) => text.includes("five")))).toContainEqual({
      text: "'</script>'",
      colour: "hljs-string",
    })
  })

  it("know a comment of several lines in both versions", () => {
    const colours = colouredLines(lines, "src/a.ts")
    for (const word of ["two", "three", "four"])
      expect(colours.get(lines.findIndex(({ text }) => text.includes(word)))).toEqual([
        { text: expect.stringContaining(word), colour: "hljs-comment" },
      ])
  })

  it("need a language that is known, which each file of a diff of several has", () => {
    expect(colouredLines(lines, "notes.txt").size).toBe(0)
    const several = diffLines(
      `diff --git a/a.txt b/a.txt\n@@ -1 +1 @@\n-1\n+2\ndiff --git a/b.json b/b.json\n@@ -1 +1 @@\n-1\n+2\n`,
    )
    expect([...colouredLines(several, undefined).keys()].map((index) => several[index]?.kind)).toEqual(["del", "ins"])
  })

  it("are cut where changed words begin and end", () => {
    const words = changedWords(diffLines("@@ -1 +1 @@\n-const two = 2\n+const two = 30\n")).get(2) ?? []
    const cut = withChanges([{ text: "const", colour: "k" }, { text: " two = " }, { text: "30", colour: "n" }], words)
    expect(textOf(cut)).toBe("const two = 30")
    expect(cut.filter(({ isChanged }) => isChanged)).toEqual([{ text: "30", colour: "n", isChanged: true }])
  })
})

describe("a diff side by side", () => {
  it("puts removed lines next to those that follow them", () => {
    const lines = diffLines("@@ -1,3 +1,4 @@\n same\n-a\n-b\n+c\n+d\n+e\n same\n")
    const shown = sideBySide(lines).map(({ left, right }) =>
      [left, right].map((index) => (index === undefined ? "" : lines[index]?.text)),
    )
    expect(shown).toEqual([
      ["@@ -1,3 +1,4 @@", "@@ -1,3 +1,4 @@"],
      [" same", " same"],
      ["-a", "+c"],
      ["-b", "+d"],
      ["", "+e"],
      [" same", " same"],
    ])
  })
})
