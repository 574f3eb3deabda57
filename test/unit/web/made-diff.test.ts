import { readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { withEditNote } from "../../../domain/calls/edit-note.ts"
import { edit, multiEdit } from "../../../tools/files/edit.ts"
import { write } from "../../../tools/files/write.ts"
import { madeDiff } from "../../../web/changes/made-diff.ts"
import { reportedChanges } from "../../../web/changes/changed-files.ts"
import { previewKey } from "../../../web/state/previews.ts"
import { call, createWorkspace } from "../tools/workspace.ts"

const twentyLines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n")

/** Executes a tool on a file with a text, and returns what the page shows of it. */
const made = async (name: "Edit" | "MultiEdit", args: object, before = twentyLines) => {
  const { context, put, cwd } = createWorkspace()
  put("a.txt", before)
  const all = { file_path: "a.txt", ...args }
  const { content } = await (name === "Edit" ? call(edit, all, context) : call(multiEdit, all, context))
  return {
    ...madeDiff({ name, arguments: all }, content, undefined),
    now: readFileSync(path.join(cwd, "a.txt"), "utf8"),
  }
}

describe("the diff of a change without a preview", () => {
  it("has the numbers of its lines, and the lines around it, where the result shows them", async () => {
    const { diff, note } = await made("Edit", { old_string: "line 10\nline 11", new_string: "ten" })
    expect(diff.split("\n")).toEqual([
      "@@ -7,8 +7,7 @@",
      ...[" line 7", " line 8", " line 9"],
      ...["-line 10", "-line 11", "+ten"],
      ...[" line 12", " line 13", " line 14"],
    ])
    expect(note).toBeUndefined()
  })

  it("shows the whole line if a part of it was replaced, whatever the line ends are", async () => {
    const before = "const a = 1\r\nconst b = 2\r\n"
    const { diff, now } = await made("Edit", { old_string: "b = 2", new_string: "b = 3\nconst c = 4" }, before)
    expect(now).toBe("const a = 1\r\nconst b = 3\r\nconst c = 4\r\n")
    expect(diff.split("\n")).toEqual([
      "@@ -1,2 +1,3 @@",
      " const a = 1",
      "-const b = 2",
      "+const b = 3",
      "+const c = 4",
    ])
  })

  it.each([
    ["the new text is also next to it", { old_string: "line 10", new_string: "line 9" }],
    ["a text was deleted", { old_string: "line 10", new_string: "" }],
    ["several places were changed", { old_string: "line 1", new_string: "LINE 1", replace_all: true }],
    ["the change is longer than what the result shows", { old_string: "line 10", new_string: "x\n".repeat(60) }],
  ])("does not guess where it is if %s", async (_name, args) => {
    const { diff, note } = await made("Edit", args)
    expect(diff).not.toContain("@@")
    expect(diff).toContain("-line 1")
    expect(note).toContain("The place in the file")
  })

  it("does not guess in a line that the result shows in part", async () => {
    const before = `${"-".repeat(600)}old\nnew\n`
    const { diff, note } = await made("Edit", { old_string: "old", new_string: "new" }, before)
    expect([diff, note?.includes("The place in the file")]).toEqual(["-old\n+new", true])
  })

  it("does not guess where several edits are", async () => {
    const edits = [
      { old_string: "line 2\n", new_string: "two\n" },
      { old_string: "line 19\n", new_string: "nineteen\n" },
    ]
    const { diff, note } = await made("MultiEdit", { edits })
    expect(diff).not.toContain("@@")
    expect(note).toContain("The place in the file")
  })

  it("numbers the lines of a new file, and says that the former content of a replaced one is not known", async () => {
    const { context } = createWorkspace()
    const args = { file_path: "new.txt", content: "one\ntwo\n" }
    const created = await call(write, args, context)
    expect(madeDiff({ name: "Write", arguments: args }, created.content, undefined)).toEqual({
      diff: "@@ -0,0 +1,2 @@\n+one\n+two",
    })
    const replaced = await call(write, args, context)
    expect(madeDiff({ name: "Write", arguments: args }, replaced.content, undefined)).toEqual({
      diff: "+one\n+two",
      note: expect.stringContaining("is not known here"),
    })
  })
})

describe("the changes of a session", () => {
  const usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 }
  const args = { file_path: "a.txt", content: "two\n" }
  const rows = (results: readonly string[], files: readonly string[] = ["a.txt"]) =>
    [
      {
        ...{ role: "assistant" as const, provider: "scripted", model: "m", usage, stop: "tool_calls" as const },
        parts: files.map((file_path, index) => ({
          type: "tool_call" as const,
          call: { id: `c${index}`, name: "Write", arguments: { ...args, file_path } },
        })),
      },
      ...results.map((content, index) => ({
        ...{ role: "tool" as const, call_id: `c${index}`, name: "Write", outcome: "ok" as const, content },
      })),
    ].map((message, index) => ({ seq: index + 1, run_id: "r1", step: 1, at: "2026-11-25T00:00:00Z", message }))
  const replaced = "Replaced a.txt (1 lines, 4 bytes)."
  const preview = { summary: "Write a.txt", flags: [], diff: "--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-one\n+two" }

  it("have the diff that was approved", () => {
    const files = reportedChanges("s1", rows([replaced]), new Map([[previewKey(1, "c0"), preview]]))
    expect(files.get("a.txt")).toEqual([{ sessionId: "s1", step: 1, tool: "Write", diff: preview.diff }])
    const isCut = new Map([[previewKey(1, "c0"), { ...preview, is_cut: true }]])
    expect(reportedChanges("s1", rows([replaced]), isCut).get("a.txt")).toMatchObject([{ diff: "+two" }])
  })

  it("do not rely on the preview of a call after another change of the file in the same answer", () => {
    const previews = new Map(["c0", "c1"].map((id) => [previewKey(1, id), preview]))
    const files = reportedChanges("s1", rows([replaced, replaced], ["a.txt", "./a.txt"]), previews)
    expect(files.get("a.txt")).toMatchObject([{ diff: preview.diff }])
    expect(files.get("./a.txt")).toMatchObject([{ diff: "+two", note: expect.stringContaining("not known") }])
  })

  it("show what was executed after an edit, and not what the model proposed", () => {
    const edited = (content: string, file = "b.txt") =>
      rows([
        withEditNote({ isEdited: true }, { arguments: { file_path: file, content } }, `Created ${file} (1 lines).`),
      ])
    const previews = new Map([[previewKey(1, "c0"), preview]])
    const files = reportedChanges("s1", edited("three\n\nfour\n"), previews)
    expect([...files.keys()]).toEqual(["b.txt"])
    expect(files.get("b.txt")).toMatchObject([{ diff: "@@ -0,0 +1,3 @@\n+three\n+\n+four" }])
    expect(reportedChanges("s1", edited("x".repeat(5_000)), previews).get("a.txt")).toMatchObject([
      { diff: "", note: expect.stringContaining("other arguments") },
    ])
  })
})
