import { createHash } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { edit } from "../../../../tools/files/edit.ts"
import { read } from "../../../../tools/files/read.ts"
import { write } from "../../../../tools/files/write.ts"
import { writeConfined } from "../../../../tools/disk/write-confined.ts"
import type { Tool, ToolContext } from "../../../../tools/tool.ts"
import { call, createWorkspace } from "../workspace.ts"

test("Write creates a new file and its parent folders", async () => {
  const { cwd, context } = createWorkspace()
  const result = await call(write, { file_path: "x/y/z.txt", content: "a\nb\n" }, context)
  expect(result).toMatchObject({ content: "Created x/y/z.txt (2 lines, 4 bytes)." })
  expect(readFileSync(join(cwd, "x/y/z.txt"), "utf8")).toBe("a\nb\n")
  expect(readdirSync(join(cwd, "x/y"))).toEqual(["z.txt"])
})

test("Write replaces an existing file and keeps its mode", async () => {
  const { context, put } = createWorkspace()
  const path = put("run.sh", "old and longer")
  chmodSync(path, 0o755)
  expect((await call(write, { file_path: "run.sh", content: "new" }, context)).content).toContain("Replaced run.sh")
  expect(readFileSync(path, "utf8")).toBe("new")
  expect(statSync(path).mode & 0o777).toBe(0o755)
})

test("Write does not write outside the directory: by name, by link, or by a link to a place that does not exist yet", async () => {
  const { cwd, root, secret, context } = createWorkspace()
  symlinkSync(secret, join(cwd, "file"))
  symlinkSync(join(root, "new.txt"), join(cwd, "dangling"))
  symlinkSync(root, join(cwd, "up"))
  for (const file_path of ["../new.txt", "file", "dangling", "up/new.txt", "up/deep/new.txt", join(root, "new.txt")]) {
    expect((await call(write, { file_path, content: "evil" }, context)).isError, file_path).toBe(true)
  }
  expect(readFileSync(secret, "utf8")).toBe("top secret\n")
  expect(readdirSync(root).toSorted()).toEqual(["project", "secret.txt"])
})

test("Write does not write into a directory that was replaced by a link after the check", async () => {
  const { cwd, root } = createWorkspace()
  mkdirSync(join(root, "elsewhere"))
  symlinkSync(join(root, "elsewhere"), join(cwd, "sub"))
  const checked = { real: join(cwd, "sub/a.txt"), shown: "sub/a.txt" }
  await expect(writeConfined(checked, "evil")).rejects.toThrow()
  expect(existsSync(join(root, "elsewhere/a.txt"))).toBe(false)
})

test("Write does not follow a file that was replaced by a link after the check", async () => {
  const { cwd, secret } = createWorkspace()
  symlinkSync(secret, join(cwd, "a.txt"))
  await expect(writeConfined({ real: join(cwd, "a.txt"), shown: "a.txt" }, "evil")).rejects.toThrow("link")
  expect(readFileSync(secret, "utf8")).toBe("top secret\n")
})

test("Write does not overwrite a file that changed after it was read, and leaves no temporary file", async () => {
  const { cwd, put } = createWorkspace()
  const real = put("a.txt", "one")
  const { ino, size, mtimeMs } = statSync(real)
  put("a.txt", "changed")
  await expect(writeConfined({ real, shown: "a.txt" }, "two", { ino, size, mtimeMs })).rejects.toThrow("changed")
  expect(readFileSync(real, "utf8")).toBe("changed")
  expect(readdirSync(cwd)).toEqual(["a.txt"])
})

const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex")

describe("Write of a file that the session remembers", () => {
  const setup = (overrides: Partial<ToolContext> = {}) => {
    const known = new Map<string, string>()
    const workspace = createWorkspace({ seenContent: async (path) => known.get(path), ...overrides })
    const run = async <Input>(tool: Tool<Input>, input: unknown) => {
      const result = await call(tool, input, workspace.context)
      for (const { path, seen } of [result.touched ?? []].flat()) if (seen !== undefined) known.set(path, seen)
      return result
    }
    return { ...workspace, run, read: (name: string) => run(read, { file_path: name }) }
  }
  const replace = { file_path: "f.txt", content: "new\n" }

  test("refuses a file that was not read, and replaces it once it was", async () => {
    const { run, read: readFile, put } = setup()
    const path = put("f.txt", "base\n")
    expect(await run(write, replace)).toEqual({
      isError: true,
      content: "f.txt exists and was not read in this session: read it first",
    })
    expect(readFileSync(path, "utf8")).toBe("base\n")
    await readFile("f.txt")
    expect((await run(write, replace)).content).toContain("Replaced f.txt")
    // Its own file.
    expect((await run(write, { ...replace, content: "newer\n" })).content).toContain("Replaced f.txt")
  })

  test("refuses a file that something else changed after it was read", async () => {
    const { run, read: readFile, put } = setup()
    const path = put("f.txt", "base\n")
    await readFile("f.txt")
    put("f.txt", "base\nmine\n")
    expect(await run(write, replace)).toEqual({
      isError: true,
      content: "f.txt has changed since it was read: read it again",
    })
    expect(readFileSync(path, "utf8")).toBe("base\nmine\n")
    await readFile("f.txt")
    expect((await run(write, replace)).content).toContain("Replaced f.txt")
  })

  test("replaces what the session edited only if it had read the file", async () => {
    const { run, read: readFile, put } = setup()
    const change = { file_path: "f.txt", old_string: "base", new_string: "edited" }
    put("f.txt", "base\n")
    await run(edit, change)
    expect(await run(write, replace)).toMatchObject({ isError: true })
    put("f.txt", "base\n")
    await readFile("f.txt")
    await run(edit, change)
    expect((await run(write, replace)).content).toContain("Replaced f.txt")
  })

  test("writes new and empty files, and what an approver decided on", async () => {
    const { run, put } = setup()
    expect((await run(write, replace)).content).toContain("Created f.txt")
    put("empty.txt", "")
    expect((await run(write, { ...replace, file_path: "empty.txt" })).content).toContain("Replaced empty.txt")
    const decided = setup({ isDecided: true })
    decided.put("f.txt", "unseen\n")
    expect((await decided.run(write, replace)).content).toContain("Replaced f.txt")
  })

  test("records the content that it wrote, as it is in the file", async () => {
    const { run, read: readFile, put } = setup()
    const path = put("f.txt", "\uFEFFa\r\nb\r\n")
    await readFile("f.txt")
    const { touched } = await run(write, replace)
    const written = sha256(readFileSync(path))
    expect(touched).toEqual({ path: "f.txt", seen: written, written })
  })
})

test("Write keeps the line ends and the byte order mark of the file that it replaces, and says so", async () => {
  const { context, put } = createWorkspace()
  const path = put("f.txt", "\uFEFFone\r\ntwo\r\n")
  expect(await call(write, { file_path: "f.txt", content: "three\nfour\n" }, context)).toMatchObject({
    content: "Replaced f.txt (2 lines, 16 bytes). Its CRLF line ends and byte order mark were kept.",
  })
  expect(readFileSync(path, "utf8")).toBe("\uFEFFthree\r\nfour\r\n")
  const unix = put("unix.txt", "one\ntwo\n")
  expect((await call(write, { file_path: "unix.txt", content: "a\r\nb" }, context)).content).toContain("LF line ends")
  expect(readFileSync(unix, "utf8")).toBe("a\nb")
  const mixed = put("mixed.txt", "one\r\ntwo\n")
  await call(write, { file_path: "mixed.txt", content: "a\r\nb\n" }, context)
  expect(readFileSync(mixed, "utf8")).toBe("a\r\nb\n")
})

test.each([
  ["Latin-1", Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]), "not UTF-8"],
  ["UTF-16", Buffer.from("\uFEFFtext", "utf16le"), "not UTF-8"],
  ["binary", Buffer.from("a\0b"), "binary"],
])("Write refuses to replace %s content, even if an approver decided on the call", async (_, bytes, why) => {
  const { context, put } = createWorkspace({ isDecided: true })
  const path = put("f.txt", bytes)
  const result = await call(write, { file_path: "f.txt", content: "text\n" }, context)
  expect(result).toMatchObject({ isError: true, content: expect.stringContaining(why) })
  expect(readFileSync(path)).toEqual(bytes)
})

test("a directory with the file's name is an error", async () => {
  const { context, put } = createWorkspace()
  put("d/x", "")
  expect(await call(write, { file_path: "d", content: "" }, context)).toMatchObject({ isError: true })
  expect(await call(write, { file_path: "d/x/y", content: "" }, context)).toMatchObject({ isError: true })
})

test("makes no directory outside, even if a link replaces a directory after the path was checked", async () => {
  const { cwd, root } = createWorkspace()
  mkdirSync(join(root, "outside"))
  symlinkSync(join(root, "outside"), join(cwd, "a"))
  const path = { real: join(cwd, "a", "b", "c", "file.txt"), shown: "a/b/c/file.txt" }
  await expect(writeConfined(path, "x")).rejects.toThrow()
  expect(readdirSync(join(root, "outside"))).toEqual([])
  expect(await writeConfined({ real: join(cwd, "d/e/f.txt"), shown: "d/e/f.txt" }, "x")).toMatchObject({
    created: true,
  })
})
