import { describe, expect, it } from "vitest"
import { diffLines } from "../../../../domain/preview/diff-lines.ts"

const shown = (diff: string) => diffLines(diff).map(({ kind, text, before, after }) => [kind, text, before, after])

describe("the lines of a diff", () => {
  it("have the numbers that their hunks tell, and no line that only names the file of the title", () => {
    expect(
      shown("--- a.txt\n+++ a.txt\n@@ -4,3 +4,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n"),
    ).toEqual([
      ["head", "@@ -4,3 +4,3 @@", undefined, undefined],
      ["same", " one", 4, 4],
      ["del", "-two", 5, undefined],
      ["ins", "+2", undefined, 5],
      ["same", " three", 6, 6],
      ["same", "\\ No newline at end of file", undefined, undefined],
    ])
  })

  it("are content where they only look like names", () => {
    expect(shown("--- a removed comment of SQL\n+++ an added one")).toEqual([
      ["del", "--- a removed comment of SQL", undefined, undefined],
      ["ins", "+++ an added one", undefined, undefined],
    ])
    expect(shown("--- a\n+++ a\n@@ -1,1 +1,1 @@\n--- x\n+++ y\n").slice(1)).toEqual([
      ["del", "--- x", 1, undefined],
      ["ins", "+++ y", undefined, 1],
    ])
  })

  it("begin with the name of each file in a diff of several, and say what is not in its lines", () => {
    const diff = [
      ...['diff --git "a/docs/\\331\\205.md" "b/docs/\\331\\205.md"', "new file mode 100644", "index 000..111"],
      ...["--- /dev/null", '+++ "b/docs/\\331\\205.md"', "@@ -0,0 +1 @@", "+one"],
      ...["diff --git a/x.ts b/y.ts", "similarity index 90%", "rename from x.ts", "rename to y.ts"],
      ...["index 1..2 100644", "--- a/x.ts", "+++ b/y.ts", "@@ -7 +7 @@", "-a", "+b"],
    ].join("\n")
    expect(shown(diff).map(([kind, text]) => [kind, text])).toEqual([
      ["file", "docs/م.md"],
      ["head", "new file mode 100644"],
      ["head", "@@ -0,0 +1 @@"],
      ["ins", "+one"],
      ["file", "a/x.ts b/y.ts"],
      ["head", "similarity index 90%"],
      ["head", "rename from x.ts"],
      ["head", "rename to y.ts"],
      ["head", "@@ -7 +7 @@"],
      ["del", "-a"],
      ["ins", "+b"],
    ])
  })

  it("write out what a screen hides in a name", () => {
    expect(diffLines('diff --git "a/\\342\\200\\256x" "b/\\342\\200\\256x"')[0]?.text).toBe("\\u202ex")
  })
})
