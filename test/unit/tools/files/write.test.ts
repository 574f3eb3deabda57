import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { write } from "../../../../tools/files/write.ts"
import { writeConfined } from "../../../../tools/files/write-confined.ts"
import { call, createWorkspace } from "../workspace.ts"

test("Write creates a new file and its parent folders", async () => {
  const { cwd, context } = createWorkspace()
  const result = await call(write, { file_path: "x/y/z.txt", content: "a\nb\n" }, context)
  expect(result).toEqual({ content: "Created x/y/z.txt (2 lines, 4 bytes)." })
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
