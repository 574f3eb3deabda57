import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, lstatSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { edit, multiEdit } from "../../../../tools/files/edit.ts"
import { call, createWorkspace } from "../workspace.ts"

test("Edit returns the changed lines with their numbers", async () => {
  const { context, put } = createWorkspace()
  const path = put("a.txt", Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n"))
  const result = await call(edit, { file_path: "a.txt", old_string: "line 10", new_string: "ten" }, context)
  expect(result.isError).toBeUndefined()
  expect(result.content).toContain("    10\tten\n    11\tline 11")
  expect(result.content).not.toContain("line 20")
  expect(readFileSync(path, "utf8")).toContain("line 9\nten\nline 11")
})

test("Edit keeps byte order mark, line ends and mode", async () => {
  const { context, put } = createWorkspace()
  const path = put("a.sh", "\uFEFFone\r\ntwo\r\n")
  chmodSync(path, 0o751)
  await call(edit, { file_path: "a.sh", old_string: "one\ntwo", new_string: "1\n2" }, context)
  expect(readFileSync(path, "utf8")).toBe("\uFEFF1\r\n2\r\n")
  expect(statSync(path).mode & 0o777).toBe(0o751)
})

test("Edit changes the target of a link inside the directory and keeps the link", async () => {
  const { cwd, context, put } = createWorkspace()
  const path = put("real.txt", "old")
  symlinkSync("real.txt", join(cwd, "link.txt"))
  await call(edit, { file_path: "link.txt", old_string: "old", new_string: "new" }, context)
  expect(readFileSync(path, "utf8")).toBe("new")
  expect(lstatSync(join(cwd, "link.txt")).isSymbolicLink()).toBe(true)
})

test.each([
  ["binary", Buffer.from([0x61, 0, 0x62]), "binary"],
  ["not UTF-8", Buffer.from([0x61, 0xff, 0x62]), "not UTF-8"],
])("Edit rejects a %s file and leaves it unchanged", async (_, content, reason) => {
  const { context, put } = createWorkspace()
  const path = put("a.bin", content)
  const result = await call(edit, { file_path: "a.bin", old_string: "a", new_string: "c" }, context)
  expect(result).toMatchObject({ isError: true, content: expect.stringContaining(reason) })
  expect(readFileSync(path)).toEqual(content)
})

test("Edit reports a missing file as an error with advice for the model", async () => {
  const { context } = createWorkspace()
  const result = await call(edit, { file_path: "no.txt", old_string: "a", new_string: "b" }, context)
  expect(result).toMatchObject({ isError: true, content: expect.stringContaining("no such file") })
})

test("each of several edits applies to the result of the one before, and no temporary file remains", async () => {
  const { cwd, context, put } = createWorkspace()
  const path = put("a.txt", "a b c")
  const edits = [
    { old_string: "a", new_string: "x" },
    { old_string: "x b", new_string: "y" },
  ]
  const result = await call(multiEdit, { file_path: "a.txt", edits }, context)
  expect(result.isError).toBeUndefined()
  expect(readFileSync(path, "utf8")).toBe("y c")
  expect(readdirSync(cwd)).toEqual(["a.txt"])
})

test("if one of several edits fails, none is applied and the error names it", async () => {
  const { context, put } = createWorkspace()
  const path = put("a.txt", "a b c")
  const edits = [
    { old_string: "a", new_string: "x" },
    { old_string: "nowhere", new_string: "y" },
  ]
  const result = await call(multiEdit, { file_path: "a.txt", edits }, context)
  expect(result).toMatchObject({ isError: true, content: expect.stringContaining("edit 2 of 2 failed") })
  expect(readFileSync(path, "utf8")).toBe("a b c")
})

test("an aborted call throws the signal's reason and changes nothing", async () => {
  const { context, put } = createWorkspace({ signal: AbortSignal.abort(new Error("cancelled")) })
  const path = put("a.txt", "a")
  await expect(call(edit, { file_path: "a.txt", old_string: "a", new_string: "b" }, context)).rejects.toThrow(
    "cancelled",
  )
  expect(readFileSync(path, "utf8")).toBe("a")
})
