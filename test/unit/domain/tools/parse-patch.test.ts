import { describe, expect, it } from "vitest"
import { parsePatch, pathsOf } from "../../../../domain/tools/parse-patch.ts"

const parse = (...lines: readonly string[]) => parsePatch(["*** Begin Patch", ...lines, "*** End Patch"].join("\n"))

describe("a patch", () => {
  it("adds, changes, moves and deletes files", () => {
    const parsed = parse(
      ...["*** Add File: new.txt", "+one", "+", "+two"],
      ...[
        "*** Update File: old.txt",
        "*** Move to: dir/moved.txt",
        "@@ class A",
        "@@ run()",
        " kept",
        "-gone",
        "+come",
      ],
      ...["@@", "+last", "*** End of File", "*** Delete File: unused.txt"],
    )
    expect(parsed).toEqual({
      files: [
        { kind: "add", path: "new.txt", text: "one\n\ntwo\n" },
        {
          ...{ kind: "update", path: "old.txt", moveTo: "dir/moved.txt" },
          hunks: [
            {
              anchors: ["class A", "run()"],
              lines: [
                { sign: " ", text: "kept" },
                { sign: "-", text: "gone" },
                { sign: "+", text: "come" },
              ],
              atEnd: false,
            },
            { anchors: [], lines: [{ sign: "+", text: "last" }], atEnd: true },
          ],
        },
        { kind: "delete", path: "unused.txt" },
      ],
    })
    const paths = "files" in parsed ? parsed.files.flatMap(pathsOf) : []
    expect(paths).toEqual(["new.txt", "old.txt", "dir/moved.txt", "unused.txt"])
  })

  it("is read out of what models write around it, and with line numbers in place of a line", () => {
    const lines = [
      "apply_patch <<'EOF'",
      "*** Begin Patch",
      "*** Update File: a",
      "@@ -1,2 +1,2 @@",
      "-x",
      "+y",
      "*** End Patch",
      "EOF",
    ]
    const hunks = [
      {
        anchors: [],
        lines: [
          { sign: "-", text: "x" },
          { sign: "+", text: "y" },
        ],
        atEnd: false,
      },
    ]
    expect(parsePatch(lines.join("\r\n"))).toEqual({ files: [{ kind: "update", path: "a", hunks }] })
  })

  it("can move a file without a change, and leave the @@ out", () => {
    expect(parse("*** Update File: a", "*** Move to: b")).toMatchObject({ files: [{ moveTo: "b", hunks: [] }] })
    expect(parse("*** Update File: a", "-x", "+y")).toMatchObject({ files: [{ hunks: [{ anchors: [] }] }] })
  })

  it.each([
    ["no beginning", "*** Update File: a\n-x\n*** End Patch", "no line"],
    ["no end", "*** Begin Patch\n*** Update File: a\n-x", "cut off"],
    ["no file", "*** Begin Patch\n*** End Patch", "names no file"],
    ["an unknown line", "*** Begin Patch\n*** Copy File: a\n*** End Patch", "not known"],
    ["lines of no file", "*** Begin Patch\n-x\n*** End Patch", "before the first file"],
    ["a new file without +", "*** Begin Patch\n*** Add File: a\nx\n*** End Patch", "does not begin with +"],
    ["a line without a sign", "*** Begin Patch\n*** Update File: a\nx\n*** End Patch", "begins neither"],
    ["a hunk without a change", "*** Begin Patch\n*** Update File: a\n@@\n x\n*** End Patch", "no line with - or +"],
    ["an empty change", "*** Begin Patch\n*** Update File: a\n*** End Patch", "is empty"],
    ["lines after a deletion", "*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch", "belong to no file"],
    ["a file twice", "*** Begin Patch\n*** Delete File: a\n*** Add File: a\n+x\n*** End Patch", "names a twice"],
  ])("is refused with %s", (_, patch, problem) => {
    expect(parsePatch(patch)).toEqual({ problem: expect.stringContaining(problem) })
  })
})
