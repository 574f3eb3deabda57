import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { bash } from "../../../../tools/bash.ts"
import { read } from "../../../../tools/files/read.ts"
import { createLineCollector } from "../../../../tools/files/line-collector.ts"
import { call, createWorkspace } from "../workspace.ts"

test("Read numbers the lines", async () => {
  const { context, put } = createWorkspace()
  put("a.txt", "\uFEFFone\r\ntwo\n")
  expect(await call(read, { file_path: "a.txt" }, context)).toMatchObject({ content: "     1\tone\n     2\ttwo" })
})

test("offset and limit select a range, and the answer says how to continue", async () => {
  const { context, put } = createWorkspace()
  put("a.txt", Array.from({ length: 10 }, (_, index) => `l${index + 1}`).join("\n"))
  const { content } = await call(read, { file_path: "a.txt", offset: 4, limit: 2 }, context)
  expect(content).toBe("     4\tl4\n     5\tl5\n\n[The file continues. Read again with offset 6 to see more.]")
  const last = await call(read, { file_path: "a.txt", offset: 9 }, context)
  expect(last.content).toBe("     9\tl9\n    10\tl10")
})

test("Read shows 2000 lines by default", async () => {
  const { context, put } = createWorkspace()
  put("a.txt", "x\n".repeat(2_001))
  const { content } = await call(read, { file_path: "a.txt" }, context)
  expect(content).toContain("  2000\tx\n\n[The file continues. Read again with offset 2001")
})

test("Read ends a page of many long lines early and says how to continue", async () => {
  const { context, put } = createWorkspace()
  put("a.txt", `${"y".repeat(1_000)}\n`.repeat(200))
  const { content } = await call(read, { file_path: "a.txt" }, context)
  expect(content.length).toBeLessThan(60_000)
  expect(content).toContain("Read again with offset 50 ")
})

test("Read cuts a long line and says by how much", async () => {
  const { context, put } = createWorkspace()
  put("a.txt", "z".repeat(2_500))
  const { content } = await call(read, { file_path: "a.txt" }, context)
  expect(content).toContain("z… [500 more characters in this line]")
})

test("Read names the first line whose bytes are not UTF-8, wherever it is", async () => {
  const { context, put } = createWorkspace()
  put("a.txt", Buffer.concat([Buffer.from("first\nzwölf\n"), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a])]))
  const note =
    "[a.txt is not UTF-8 text: from line 3 on, bytes that are not UTF-8 are shown as \ufffd. " +
    "Write and Edit refuse it; change it with a program that supports its encoding.]"
  const whole = await call(read, { file_path: "a.txt" }, context)
  expect(whole.content).toBe(`     1\tfirst\n     2\tzwölf\n     3\tcaf\ufffd\n\n${note}`)
  expect((await call(read, { file_path: "a.txt", limit: 1 }, context)).content).toContain(note)
  put("b.txt", "caf\ufffd\n")
  expect((await call(read, { file_path: "b.txt" }, context)).content).toBe("     1\tcaf\ufffd")
})

test("Read says that an empty file is empty", async () => {
  const { context, put } = createWorkspace()
  put("a.txt", "")
  expect(await call(read, { file_path: "a.txt" }, context)).toMatchObject({ content: "a.txt exists but is empty." })
})

test("an offset past the end is an error that names the file's length", async () => {
  const { context, put } = createWorkspace()
  put("a.txt", "1\n2\n3\n")
  const result = await call(read, { file_path: "a.txt", offset: 9 }, context)
  expect(result).toEqual({ isError: true, content: "a.txt has only 3 lines, and offset 9 is past its end" })
})

test.each([
  ["a binary file", Buffer.from([1, 0, 2]), "binary file"],
  ["UTF-16", Buffer.from([0xff, 0xfe, 0x61, 0]), "UTF-16"],
])("Read rejects %s with a clear message", async (_, content, reason) => {
  const { context, put } = createWorkspace()
  put("a", content)
  expect(await call(read, { file_path: "a" }, context)).toMatchObject({
    isError: true,
    content: expect.stringContaining(reason),
  })
})

test("Read rejects a directory with a hint, and rejects pipes without waiting for them", async () => {
  const { context } = createWorkspace()
  await call(bash, { command: "mkfifo pipe" }, context)
  expect((await call(read, { file_path: "." }, context)).content).toContain("use LS")
  expect((await call(read, { file_path: "pipe" }, context)).content).toContain("pipe or socket")
})

test("Read does not read outside the directory, by name or by link; it reads this session's kept outputs", async () => {
  const { cwd, secret, context } = createWorkspace()
  symlinkSync(secret, join(cwd, "link"))
  for (const file_path of [secret, "../secret.txt", "link"]) {
    const result = await call(read, { file_path }, context)
    expect(result.isError).toBe(true)
    expect(result.content).not.toContain("top secret")
  }
  mkdirSync(context.spillDir, { recursive: true })
  writeFileSync(join(context.spillDir, "out.txt"), "kept")
  expect((await call(read, { file_path: join(context.spillDir, "out.txt") }, context)).content).toContain("kept")
})

test("Read shows the start of a file that is mostly a hole, in constant memory", async () => {
  const { context, put } = createWorkspace()
  const path = put("sparse", `first\n${"x".repeat(9_000)}`)
  truncateSync(path, 900 * 1024 * 1024)
  const { content } = await call(read, { file_path: "sparse" }, context)
  expect(content).toMatch(/^ {5}1\tfirst\n {5}2\tx{2000}… \[\d+ more characters in this line\]/)
  expect(content).toContain("only the first 512 MiB of a file are read")
  expect(await call(read, { file_path: "sparse", offset: 3 }, context)).toMatchObject({ isError: true })
})

test("Read stops on abort while it searches for a line", async () => {
  const controller = new AbortController()
  const { context, put } = createWorkspace({ signal: controller.signal })
  truncateSync(put("sparse", "x".repeat(9_000)), 10_000_000_000)
  const reading = call(read, { file_path: "sparse", offset: 2 }, context)
  controller.abort(new Error("cancelled"))
  await expect(reading).rejects.toThrow("cancelled")
})

test("Read counts lines as cat does: a carriage return alone and U+2028 are part of a line", async () => {
  const { context, put } = createWorkspace()
  put("a.txt", "a\rb\u2028c\r\nd")
  const { content } = await call(read, { file_path: "a.txt" }, context)
  expect(content).toBe("     1\ta\rb\u2028c\n     2\td")
})

test.each([1, 7, 100])("Read finds the same lines wherever the pieces of %i bytes that it reads end", async (size) => {
  const text = "\uFEFFä€😀\r\n\r\nlast\n"
  const collector = createLineCollector({ first: 1, maxLines: 9, maxCharacters: 99, maxLineCharacters: 3 })
  for (let at = 1; at < text.length; at += size) collector.add(text.slice(at, at + size))
  expect(collector.end()).toEqual({
    lines: ["ä€… [3 more characters in this line]", "", "las… [1 more characters in this line]"],
    seen: 3,
    more: false,
  })
})
