import { createHash } from "node:crypto"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { createRedact } from "../../../../domain/text/redact.ts"
import { edit, multiEdit } from "../../../../tools/files/edit.ts"
import { write } from "../../../../tools/files/write.ts"
import { type ChangedTexts, previewChange, watchFile } from "../../../../tools/preview/preview-change.ts"
import { createWorkspace } from "../workspace.ts"

const setup = (secrets: readonly string[] = []) => {
  const { cwd } = createWorkspace()
  const texts: ChangedTexts = new Map()
  const preview = (path: string, change: (before: string | undefined) => string, isWhole = false) =>
    previewChange(
      { path, change, isWhole },
      { cwd, callId: `call_${texts.size + 1}`, texts, redact: createRedact(secrets) },
    )
  return {
    cwd,
    preview,
    put: (name: string, text: string | Buffer) => writeFile(join(cwd, name), text),
    write: (file_path: string, content: string) =>
      preview(file_path, (before) => write.rewrites?.({ file_path, content }, before) ?? "", true),
    edit: (file_path: string, old_string: string, new_string: string) =>
      preview(file_path, (before) => edit.rewrites?.({ file_path, old_string, new_string }, before) ?? ""),
  }
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("")

describe("the preview of a change to a file", () => {
  it("is a unified diff with context and line numbers, against the file as it is", async () => {
    const workspace = setup()
    const text = lines(40)
    await workspace.put("a.txt", text)
    const { preview, watched } = await workspace.edit("a.txt", "line 20\n", "line twenty\n")
    expect(preview.diff).toBe(
      [
        "--- a.txt",
        "+++ a.txt",
        "@@ -17,7 +17,7 @@",
        ...[" line 17", " line 18", " line 19", "-line 20", "+line twenty", " line 21", " line 22", " line 23", ""],
      ].join("\n"),
    )
    expect(preview.details).toEqual(["+1 −1"])
    expect(preview.file).toEqual({ path: "a.txt", action: "edit", size: text.length, sha256: sha256(text) })
    expect(watched).toEqual(await watchFile("a.txt", { cwd: workspace.cwd }))
  })

  it("says whether a file is new or overwritten, and how large it is", async () => {
    const workspace = setup()
    await workspace.put("old.txt", "one\n")
    const created = await workspace.write("new/file.txt", "one\n")
    expect(created.preview.file).toEqual({ path: "new/file.txt", action: "create", size: null, sha256: null })
    expect(created.preview.details).toEqual(["new file", "+1 −0"])
    expect(created.preview.diff).toContain("--- /dev/null\n+++ new/file.txt\n@@ -0,0 +1,1 @@\n+one")
    const replaced = await workspace.write("old.txt", "two")
    expect(replaced.preview.file).toMatchObject({ action: "overwrite", size: 4 })
    expect(replaced.preview.details).toEqual(["overwrites 4 bytes", "+1 −1"])
    expect(replaced.preview.diff).toContain("\\ No newline at end of file")
  })

  it("says why a call would fail", async () => {
    const workspace = setup()
    await workspace.put("a.txt", "one\n")
    await mkdir(join(workspace.cwd, "folder"))
    expect((await workspace.edit("a.txt", "two", "three")).preview.flags[0]).toMatch(
      /^would fail: old_string was not found/,
    )
    expect((await workspace.edit("missing.txt", "a", "b")).preview.flags).toEqual([
      "would fail: missing.txt does not exist",
    ])
    expect((await workspace.write("folder", "a")).preview.flags[0]).toMatch(/^would fail: folder is a directory/)
    expect(await workspace.write("../outside.txt", "a")).toMatchObject({
      preview: { details: ["would fail"] },
      watched: null,
    })
  })

  it("applies to the result of earlier calls in the batch", async () => {
    const workspace = setup()
    await workspace.put("a.txt", "one\n")
    await workspace.edit("a.txt", "one", "two")
    const { preview, watched } = await workspace.edit("a.txt", "two", "three")
    expect(preview.diff).toContain("-two\n+three")
    expect(preview.flags).toEqual(["the diff is against the result of call_1"])
    expect(watched?.sha256).toBe(sha256("one\n"))
  })

  it("follows the links of a path to the file that changes", async () => {
    const workspace = setup()
    await workspace.put("real.txt", "one\n")
    await symlink("real.txt", join(workspace.cwd, "link.txt"))
    const { preview, watched } = await workspace.write("link.txt", "two\n")
    expect(preview.file?.path).toBe("real.txt")
    expect(watched?.real).toBe(join(workspace.cwd, "real.txt"))
  })

  it("contains no secret, and says that the call does", async () => {
    const workspace = setup(["hunter22-secret"])
    await workspace.put("a.env", "TOKEN=hunter22-secret\n")
    const { preview } = await workspace.edit("a.env", "TOKEN=hunter22-secret", "TOKEN=hunter22-secret\nOTHER=1")
    expect(JSON.stringify(preview)).not.toContain("hunter22")
    expect(preview.diff).toContain(" TOKEN=[redacted]\n+OTHER=1")
    expect(preview.flags).toEqual(["secrets are redacted in this preview; the call contains them"])
  })

  it("writes out characters that a screen hides", async () => {
    const workspace = setup()
    const { preview } = await workspace.write("a.ts", "if (isAdmin\u202e) {\u200b}\n")
    expect(preview.diff).toContain("+if (isAdmin\\u202e) {\\u200b}")
    expect(preview.flags[0]).toContain("characters that a screen hides")
  })

  it("compares files with CRLF by their lines, and says when the line ends change", async () => {
    const workspace = setup()
    await workspace.put("a.txt", "one\r\ntwo\r\n")
    const edited = await workspace.edit("a.txt", "two", "three")
    expect(edited.preview.diff).toContain(" one\n-two\n+three\n")
    const other = setup()
    await other.put("a.txt", "one\r\ntwo\r\nthree\n")
    const { preview } = await other.write("a.txt", "one\ntwo\nthree\n")
    expect(preview.flags).toContain("line ends change from CRLF to LF")
    expect(preview.details).toContain("+2 −2")
  })

  it("keeps uniform line ends and the byte order mark, as the call does", async () => {
    const workspace = setup()
    await workspace.put("a.txt", "\uFEFFone\r\ntwo\r\n")
    const { preview } = await workspace.write("a.txt", "one\nthree\n")
    expect(preview).toMatchObject({ details: ["overwrites 13 bytes", "+1 −1"], flags: [] })
    expect(preview.diff).toContain(" one\n-two\n+three\n")
  })

  it("says that the agent replaces a content that it has not read", async () => {
    const { cwd, put } = setup()
    await put("a.txt", "one\n")
    const flags = async (seen: string | undefined, texts: ChangedTexts = new Map()) => {
      const call = { path: "a.txt", change: () => "two\n", isWhole: true }
      const place = { cwd, callId: "call_1", texts, redact: createRedact([]), seenContent: async () => seen }
      return (await previewChange(call, place)).preview.flags
    }
    expect(await flags(undefined)).toEqual(["the agent has not read this file"])
    expect(await flags(sha256("before\n"))).toEqual(["the agent has not read this version of the file"])
    expect(await flags(sha256("one\n"))).toEqual([])
    const earlier = new Map([[join(cwd, "a.txt"), { callId: "call_0", text: "own\n" }]])
    expect(await flags(undefined, earlier)).toEqual(["the diff is against the result of call_0"])
  })

  it("says that a large or binary file has no diff", async () => {
    const workspace = setup()
    await workspace.put("big.txt", "x".repeat(3_000_000))
    await workspace.put("image.png", Buffer.from([0x89, 0x50, 0, 1, 255]))
    expect((await workspace.edit("big.txt", "x", "y")).preview.flags).toEqual(["no diff: big.txt has 3000000 bytes"])
    expect((await workspace.write("image.png", "text")).preview.flags).toEqual([
      "no diff: image.png is not UTF-8 text: the call would fail, since its content would be lost",
    ])
  })

  it("applies several edits in order, as the call would", async () => {
    const workspace = setup()
    await workspace.put("a.txt", "a b\n")
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "b", new_string: "c", replace_all: true },
    ]
    const { preview } = await workspace.preview(
      "a.txt",
      (before) => multiEdit.rewrites?.({ file_path: "a.txt", edits }, before) ?? "",
    )
    expect(preview.diff).toContain("-a b\n+c c\n")
  })
})

describe("a watched file", () => {
  it("differs after any change of its content, its existence or its place", async () => {
    const workspace = setup()
    const watch = () => watchFile("a.txt", { cwd: workspace.cwd })
    const seen = [await watch()]
    await workspace.put("a.txt", "one")
    seen.push(await watch())
    await workspace.put("a.txt", "two")
    seen.push(await watch())
    expect(new Set(seen.map((each) => each?.sha256)).size).toBe(3)
    expect(await watchFile("../a.txt", { cwd: workspace.cwd })).toBeUndefined()
  })
})
