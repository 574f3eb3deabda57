import { createHash } from "node:crypto"
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { createRedact } from "../../../../domain/text/redact.ts"
import { applyPatch } from "../../../../tools/patch/patch-tool.ts"
import { previewChanges } from "../../../../tools/preview/preview-change.ts"
import type { ToolContext } from "../../../../tools/tool.ts"
import { call, createWorkspace } from "../workspace.ts"

const patchOf = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const setup = (overrides: Partial<ToolContext> = {}) => {
  const workspace = createWorkspace(overrides)
  return {
    ...workspace,
    run: (...lines: readonly string[]) => call(applyPatch, { patch: patchOf(...lines) }, workspace.context),
    textOf: (name: string) => readFileSync(path.join(workspace.cwd, name), "utf8"),
    has: (name: string) => existsSync(path.join(workspace.cwd, name)),
  }
}

describe("apply_patch", () => {
  it("adds, changes, moves and removes files in one call", async () => {
    const { run, put, textOf, has, cwd } = setup()
    put("a.txt", "one\ntwo\nthree\n")
    chmodSync(put("run.sh", "#!/bin/sh\necho old\n"), 0o755)
    put("gone.txt", "bye\n")
    const result = await run(
      ...["*** Add File: dir/new.txt", "+hello", "*** Update File: a.txt", "@@", " one", "-two", "+2", " three"],
      ...["*** Update File: run.sh", "*** Move to: bin/run.sh", "-echo old", "+echo new", "*** Delete File: gone.txt"],
    )
    expect(result.content).toBe("Done:\nA dir/new.txt\nM a.txt\nR run.sh -> bin/run.sh\nD gone.txt")
    expect([textOf("dir/new.txt"), textOf("a.txt"), textOf("bin/run.sh")]).toEqual([
      ...["hello\n", "one\n2\nthree\n", "#!/bin/sh\necho new\n"],
    ])
    expect([has("run.sh"), has("gone.txt")]).toEqual([false, false])
    expect(statSync(path.join(cwd, "bin/run.sh")).mode & 0o777).toBe(0o755)
    expect(result.touched).toEqual([
      { path: "dir/new.txt", written: sha256("hello\n"), seen: sha256("hello\n") },
      { path: "a.txt", written: sha256("one\n2\nthree\n") },
      { path: "bin/run.sh", written: sha256("#!/bin/sh\necho new\n") },
      { path: "run.sh", isGone: true },
      { path: "gone.txt", isGone: true },
    ])
  })

  it.each([
    ["a hunk that does not fit", ["*** Update File: b.txt", "-other", "+x"], "is not in the file"],
    ["a new file that exists", ["*** Add File: b.txt", "+x"], "exists already"],
    ["a file that does not exist", ["*** Update File: d.txt", "-x", "+y"], "no such file"],
    ["a target that exists", ["*** Update File: c.txt", "*** Move to: b.txt"], "exists already"],
    ["a path outside", ["*** Add File: ../d.txt", "+x"], "outside the working directory"],
    ["a protected path", ["*** Add File: AGENTS.md", "+x"], "is protected"],
    ["a second name of the first file", ["*** Update File: link.txt", "-one", "+x"], "lead to the same file"],
  ])("changes nothing if one of its changes has %s", async (_, lines, problem) => {
    const { run, put, cwd, textOf } = setup()
    put("a.txt", "one\n")
    put("b.txt", "b\n")
    put("c.txt", "c\n")
    symlinkSync(path.join(cwd, "a.txt"), path.join(cwd, "link.txt"))
    const result = await run("*** Update File: a.txt", "-one", "+two", ...lines)
    expect(result).toMatchObject({ isError: true, content: expect.stringContaining(problem) })
    expect([textOf("a.txt"), textOf("b.txt")]).toEqual(["one\n", "b\n"])
    expect(readdirSync(cwd).toSorted()).toEqual(["a.txt", "b.txt", "c.txt", "link.txt"])
  })

  it("keeps the byte order mark, the line ends and every byte outside of the changed lines", async () => {
    const { run, put, textOf } = setup()
    put("a.txt", "\uFEFFone\r\ntwo\r\nthree\r\nlast")
    put("b.txt", "a\t\nb  \nc")
    await run(
      "*** Update File: a.txt",
      " one",
      "-two",
      "+2",
      "+3",
      " three",
      "*** Update File: b.txt",
      " a",
      "-b",
      "+B",
      " c",
      "+d",
    )
    expect([textOf("a.txt"), textOf("b.txt")]).toEqual(["\uFEFFone\r\n2\r\n3\r\nthree\r\nlast", "a\t\nB\nc\nd\n"])
  })

  it("finds the place of a hunk after its anchor, at the end, and after the hunk before it", async () => {
    const { run, put, textOf } = setup()
    put("a.py", "def a():\n    return 1\n\ndef b():\n    return 1\n")
    await run("*** Update File: a.py", "@@ def b():", "-    return 1", "+    return 2")
    expect(textOf("a.py")).toBe("def a():\n    return 1\n\ndef b():\n    return 2\n")
    await run(
      "*** Update File: a.py",
      "@@ def a():",
      "+    # first",
      "@@",
      " def b():",
      "+    # second",
      "@@",
      "+# end",
      "*** End of File",
    )
    expect(textOf("a.py")).toBe("def a():\n    # first\n    return 1\n\ndef b():\n    # second\n    return 2\n# end\n")
    const wrong = await run("*** Update File: a.py", "@@", "-    return 2", "+x", "@@", "-    return 1", "+y")
    expect(wrong).toMatchObject({ isError: true, content: expect.stringContaining("after the hunks before it") })
  })

  it("removes only what the session has read as it is now, unless a person decides on the call", async () => {
    const remove = ["*** Delete File: a.txt"] as const
    for (const [seen, isDecided, isDone] of [
      [undefined, false, false],
      [sha256("old\n"), false, false],
      [sha256("now\n"), false, true],
      [undefined, true, true],
    ] as const) {
      const { run, put, has } = setup({ seenContent: async () => seen, isDecided })
      put("a.txt", "now\n")
      expect((await run(...remove)).isError === true).toBe(!isDone)
      expect(has("a.txt")).toBe(!isDone)
    }
  })

  it("says what was done before a write failed", async () => {
    const { run, textOf } = setup()
    const result = await run("*** Add File: a", "+1", "*** Add File: a/b", "+2")
    expect(result).toMatchObject({ isError: true, content: expect.stringMatching(/^A a.b failed: .*before it: A a$/) })
    expect(textOf("a")).toBe("1\n")
  })

  it("refuses text that is no patch before anybody is asked", async () => {
    expect(await applyPatch.inputProblem?.({ patch: "nonsense" })).toContain("*** Begin Patch")
    expect(applyPatch.writes?.({ patch: "nonsense" })).toEqual([])
    expect(applyPatch.writes?.({ patch: patchOf("*** Update File: a", "*** Move to: b") })).toEqual(["a", "b"])
  })
})

describe("the preview of a patch", () => {
  it("shows every file, and watches all of them", async () => {
    const { cwd, put } = setup()
    put("a.txt", "one\n")
    put("b.txt", "two\n")
    const patch = patchOf(
      ...[
        "*** Update File: a.txt",
        "*** Move to: c.txt",
        "-one",
        "+1",
        "*** Delete File: b.txt",
        "*** Add File: d.txt",
        "+d",
      ],
    )
    const place = {
      cwd,
      callId: "call_1",
      texts: new Map(),
      redact: createRedact([]),
      seenContent: async () => undefined,
    }
    const joined = await previewChanges(applyPatch.changes?.({ patch }) ?? [], place)
    expect(joined?.preview.diff).toContain("--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-one\n+1\n")
    expect(joined?.preview.diff).toContain("--- b.txt\n+++ /dev/null\n")
    expect(joined?.preview.diff).toContain("--- /dev/null\n+++ d.txt\n")
    expect(joined?.preview.flags).toEqual(["a.txt: moves a.txt to c.txt", "b.txt: the agent has not read this file"])
    const watched = joined?.watched
    expect([watched, ...(watched?.others ?? [])].map((file) => [file?.path, file?.sha256])).toEqual([
      ["a.txt", sha256("one\n")],
      ["c.txt", null],
      ["b.txt", sha256("two\n")],
      ["d.txt", null],
    ])
  })

  it("says which file the call would fail at", async () => {
    const { cwd, put } = setup()
    put("a.txt", "one\n")
    const changes = applyPatch.changes?.({ patch: patchOf("*** Update File: a.txt", "-two", "+2") }) ?? []
    const found = await previewChanges(changes, { cwd, callId: "c", texts: new Map(), redact: createRedact([]) })
    expect(found?.preview.flags).toEqual([expect.stringContaining("would fail: a hunk of a.txt is not in the file")])
  })
})
