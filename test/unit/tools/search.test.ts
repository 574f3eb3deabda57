import { symlinkSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { errorMessage } from "../../../domain/text/error-message.ts"
import { bash } from "../../../tools/bash.ts"
import { glob } from "../../../tools/search/glob.ts"
import { grep } from "../../../tools/search/grep.ts"
import { ls } from "../../../tools/search/ls.ts"
import { runInThread } from "../../../tools/search/run-in-thread.ts"
import { call, createWorkspace } from "./workspace.ts"
import type { Workspace } from "./workspace.ts"

const createProject = (): Workspace => {
  const workspace = createWorkspace()
  const { put, cwd, root } = workspace
  put("src/a.ts", "const needle = 1\nother\n")
  put("src/deep/b.ts", "one\nNeedle two\nneedle needle\n")
  put("readme.md", "a needle\n")
  put(".github/ci.yml", "needle: ci\n")
  put("node_modules/m/index.ts", "needle\n")
  put(".git/config", "needle\n")
  put(".adjutant/store.txt", "needle\n")
  put("binary.dat", Buffer.from("needle\0needle"))
  symlinkSync(root, join(cwd, "out"))
  put("../outside.ts", "needle outside\n")
  ;["src/a.ts", "src/deep/b.ts", "readme.md"].forEach((name, age) =>
    utimesSync(join(cwd, name), 1_000 - age, 1_000 - age),
  )
  return workspace
}

const lines = async (result: Promise<{ content: string }>): Promise<readonly string[]> =>
  (await result).content.split("\n")

test("Glob lists files, newest first, without dependencies, .git, the data directory and targets of links", async () => {
  const { context } = createProject()
  expect(await lines(call(glob, { pattern: "**/*.{ts,md}" }, context))).toEqual([
    "src/a.ts",
    "src/deep/b.ts",
    "readme.md",
  ])
  expect(await lines(call(glob, { pattern: "*.md" }, context))).toEqual(["readme.md"])
  expect(await lines(call(glob, { pattern: "*.ts", path: "src" }, context))).toEqual(["src/a.ts"])
  expect(await lines(call(glob, { pattern: ".github/**" }, context))).toEqual([".github/ci.yml"])
  expect(await lines(call(glob, { pattern: "node_modules/**/*.ts" }, context))).toEqual(["node_modules/m/index.ts"])
  expect((await call(glob, { pattern: "**/*.go" }, context)).content).toBe("No files match **/*.go.")
})

test.each([
  "../*",
  "src/../../*",
  "{..,src}/*",
  "/etc/*",
  "{/etc,src}/*",
  "out/*",
  "out/**/*.ts",
  "{out,none}/*.ts",
  "@(..)/*",
  ".adjutant/**",
  "[.][.]/*",
  "@(.).*",
  "{.,x}./*",
  "\\.\\./*",
])("Glob does not leave the directory with %s", async (pattern) => {
  const { context } = createProject()
  const { content } = await call(glob, { pattern }, context)
  expect(content).not.toMatch(/outside|secret|passwd|store/)
})

test("Glob limits its answer and says so", async () => {
  const { context, put } = createWorkspace()
  for (let index = 0; index < 205; index += 1) put(`f${index}.txt`, "")
  expect((await call(glob, { pattern: "*.txt" }, context)).content).toContain("[5 more files match")
})

test("Grep returns paths by default, newest first, without the places that it must not search", async () => {
  const { context } = createProject()
  const found = await lines(call(grep, { pattern: "needle" }, context))
  expect(found.filter((line) => line !== ".github/ci.yml" && !line.startsWith("node_modules"))).toEqual([
    "src/a.ts",
    "src/deep/b.ts",
    "readme.md",
  ])
  expect(found).toContain(".github/ci.yml")
})

test("Grep shows lines with numbers and context, counts, and ignores case", async () => {
  const { context } = createProject()
  const content = { pattern: "needle", path: "src", output_mode: "content" }
  expect(await lines(call(grep, content, context))).toEqual([
    "src/a.ts:1:const needle = 1",
    "src/deep/b.ts:3:needle needle",
  ])
  expect((await call(grep, { ...content, context: 1, path: "src/a.ts" }, context)).content).toBe(
    "src/a.ts:1:const needle = 1\nsrc/a.ts-2-other",
  )
  expect(
    await lines(call(grep, { pattern: "needle", path: "src", output_mode: "count", ignore_case: true }, context)),
  ).toEqual(["src/a.ts:1", "src/deep/b.ts:3"])
})

test("Grep matches across lines on request, and limits by glob and head_limit", async () => {
  const { context } = createProject()
  const spanning = { pattern: "one.*two", path: "src" }
  expect((await call(grep, spanning, context)).content).toContain("No matches")
  expect((await call(grep, { ...spanning, multiline: true }, context)).content).toBe("src/deep/b.ts")
  expect((await call(grep, { pattern: "needle", glob: "*.md" }, context)).content).toBe("readme.md")
  const first = await call(grep, { pattern: "needle", path: "src", output_mode: "content", head_limit: 1 }, context)
  expect(first.content).toMatch(/^src\/a\.ts:1:const needle = 1\n\n\[Only the first 1 are shown/)
})

test("Grep cannot be tricked into the data directory, out of the directory, or into options", async () => {
  const { context } = createProject()
  for (const input of [
    { glob: ".adjutant/**" },
    { glob: "**/store.txt" },
    { glob: "../**" },
    { path: "out" },
    { path: ".adjutant" },
    { glob: "out/**" },
  ]) {
    const { content } = await call(grep, { pattern: "needle", output_mode: "content", ...input }, context)
    expect(content, JSON.stringify(input)).not.toMatch(/:needle|needle outside/)
  }
  expect((await call(grep, { pattern: "--files" }, context)).content).toBe("No matches for --files.")
})

test("Grep does not search a data directory with another name", async () => {
  const workspace = createWorkspace()
  workspace.put("st[a]te/x.txt", "needle")
  const context = { ...workspace.context, dataDir: join(workspace.cwd, "st[a]te") }
  expect((await call(grep, { pattern: "needle" }, context)).content).toContain("No matches")
})

test("Grep explains an invalid expression", async () => {
  const { context } = createProject()
  expect(await call(grep, { pattern: "(" }, context)).toMatchObject({
    isError: true,
    content: expect.stringContaining("the search failed"),
  })
})

test("Grep throws the signal's reason when aborted", async () => {
  const controller = new AbortController()
  const { context } = createWorkspace({ signal: controller.signal })
  const search = call(grep, { pattern: "x" }, context)
  controller.abort(new Error("cancelled"))
  await expect(search).rejects.toThrow("cancelled")
})

test("LS draws a tree, opens neither dependencies nor links, and hides the data directory", async () => {
  const { cwd, root, context } = createProject()
  expect((await call(ls, { ignore: ["*.dat", ".github"] }, context)).content).toBe(
    [
      `${cwd}/`,
      ".git/ (not opened)",
      "node_modules/ (not opened)",
      "src/",
      "  deep/",
      "    b.ts",
      "  a.ts",
      `out -> ${root}`,
      "readme.md",
    ].join("\n"),
  )
})

test("Grep refuses a named pipe instead of waiting for it, and passes over one in a directory", async () => {
  const { context, put } = createWorkspace()
  put("d/a.txt", "needle")
  await call(bash, { command: "mkfifo pipe d/pipe" }, context)
  const answer = await call(grep, { pattern: "needle", path: "pipe" }, context)
  expect(answer).toMatchObject({ isError: true, content: expect.stringContaining("device, pipe or socket") })
  expect((await call(grep, { pattern: "needle", path: "d" }, context)).content).toBe("d/a.txt")
})

test("Grep shows the matches of many files in the order of their paths, up to the limit", async () => {
  const { context, put } = createWorkspace()
  const names = Array.from({ length: 150 }, (_, index) => `d/f${String(index).padStart(3, "0")}`)
  for (const name of names) put(name, "needle\n")
  const input = { pattern: "needle", output_mode: "content" }
  expect(await lines(call(grep, input, context))).toEqual(names.map((name) => `${name}:1:needle`))
  const first = await lines(call(grep, { ...input, head_limit: 100 }, context))
  expect(first).toHaveLength(102)
  expect(first.at(-1)).toContain("Only the first 100 are shown")
  expect(await lines(call(grep, { pattern: "needle", output_mode: "count", path: "d" }, context))).toHaveLength(150)
})

// Each of these patterns blocked the process for hours.
test.each([
  ["Glob", { kind: "files", pattern: `**${"a*".repeat(20)}b`, ignore: [] }],
  ["LS", { kind: "tree", ignore: ["+(a|aa)b"], hidden: [], maxEntries: 9 }],
] as const)("a pattern of %s that takes endless time ends at the limit and blocks nothing else", async (_, job) => {
  const { cwd, context, put } = createWorkspace()
  put("a".repeat(200), "")
  const place = { cwd, root: { real: cwd, shown: "." } }
  const search = runInThread({ ...job, ...place }, { signal: context.signal, timeoutMs: 500 })
  const end = search.then(() => "found", errorMessage)
  // A blocked process would not get here before the search has ended.
  expect(await Promise.race([end, setImmediate("free")])).toBe("free")
  expect(await end).toContain("the search took longer than 500 ms")
})

test("a pattern ends on abort", async () => {
  const controller = new AbortController()
  const { context, put } = createWorkspace({ signal: controller.signal })
  put("a".repeat(200), "")
  const search = call(glob, { pattern: `**${"a*".repeat(20)}b` }, context)
  controller.abort(new Error("cancelled"))
  await expect(search).rejects.toThrow("cancelled")
})

test("LS limits the tree, near levels first, and rejects files and paths outside the directory", async () => {
  const { context, put } = createWorkspace()
  for (let index = 0; index < 510; index += 1) put(`d/f${String(index).padStart(3, "0")}`, "")
  put("z.txt", "")
  const { content } = await call(ls, {}, context)
  expect(content).toContain("z.txt")
  expect(content).toContain("… 12 more")
  expect((await call(ls, { path: "z.txt" }, context)).isError).toBe(true)
  expect((await call(ls, { path: ".." }, context)).isError).toBe(true)
})

test("Grep says that a line can have bytes that are not UTF-8", async () => {
  const { context, put } = createWorkspace()
  put("a.txt", Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]))
  const { content } = await call(grep, { pattern: "caf", output_mode: "content" }, context)
  expect(content).toContain("a.txt:1:caf\ufffd\n\n[\ufffd in these lines may replace bytes that are not UTF-8")
})
