import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { builtInTools } from "../../../../tools/own-tools.ts"
import { hiddenDirectories } from "../../../../tools/files/confined-path.ts"
import { createDirectoryCheck } from "../../../../tools/files/directory-problem.ts"
import { writableDirectory } from "../../../../tools/sandbox/writable-directory.ts"
import { worktreePath } from "../../../../domain/workspace/worktree/worktree-place.ts"
import { call, createWorkspace } from "../workspace.ts"

const place = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-problem-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const cwd = join(root, "project")
  const dataDir = join(cwd, ".adjutant")
  mkdirSync(join(dataDir, "spill"), { recursive: true })
  return { root, cwd, dataDir }
}

const directoryProblem = (cwd: string, dataDir: string) => createDirectoryCheck(dataDir)(cwd)

const toolNamed = (name: string) => builtInTools.find((tool) => tool.name === name)!

test("tools run in the directory that was checked, even if it contains the data directory", async () => {
  const { root, cwd, dataDir } = place()
  expect(await directoryProblem(cwd, dataDir)).toBeUndefined()
  expect(await directoryProblem(root, dataDir)).toBeUndefined()
})

test.each(["/proc", "/proc/self", "/sys", "/dev", "/dev/shm", "/run", "/run/none"])(
  "no tool runs in %s",
  async (cwd) => {
    expect(await directoryProblem(cwd, place().dataDir)).toMatchObject({ kind: "closed" })
  },
)

test("no tool runs in the data directory, below it, or where a link leads into it", async () => {
  const { root, dataDir } = place()
  symlinkSync(dataDir, join(root, "alias"))
  for (const cwd of [dataDir, join(dataDir, "spill"), join(dataDir, "none"), join(root, "alias")])
    expect(await directoryProblem(cwd, dataDir), cwd).toMatchObject({ kind: "closed" })
  expect(await directoryProblem(join(dataDir, "spill"), join(root, "alias"))).toMatchObject({ kind: "closed" })
})

test("no tool runs in a directory that is gone, or that a link has replaced anywhere on its path", async () => {
  const { root, cwd, dataDir } = place()
  mkdirSync(join(cwd, "sub"))
  const sub = join(cwd, "sub")
  renameSync(cwd, join(root, "moved"))
  expect(await directoryProblem(sub, dataDir)).toMatchObject({ kind: "missing" })
  symlinkSync(join(root, "moved"), cwd)
  expect(await directoryProblem(sub, dataDir)).toMatchObject({ kind: "replaced" })
  await expect(writableDirectory(sub)).rejects.toMatchObject({ code: "sandbox_unavailable" })
})

test("no tool runs after the data directory was moved to another place, or replaced by another directory", async () => {
  const { root, cwd } = place()
  const dataDir = join(cwd, "sub", "data")
  mkdirSync(dataDir, { recursive: true })
  const check = createDirectoryCheck(dataDir)
  expect(await check(cwd)).toBeUndefined()
  renameSync(join(cwd, "sub"), join(cwd, "other"))
  expect(await check(cwd)).toMatchObject({ kind: "closed", message: expect.stringContaining("was moved") })
  mkdirSync(dataDir, { recursive: true })
  for (const directory of [cwd, root, join(cwd, "other")])
    expect(await check(directory), directory).toMatchObject({ kind: "closed" })
  rmSync(join(cwd, "sub"), { recursive: true })
  renameSync(join(cwd, "other"), join(cwd, "sub"))
  expect(await check(cwd)).toBeUndefined()
})

test("a directory that is replaced after the worker's check is neither read nor written", async () => {
  const { root, cwd, context, secret } = createWorkspace()
  renameSync(cwd, join(root, "moved"))
  symlinkSync(root, cwd)
  for (const [name, input] of [
    ["Read", { file_path: "secret.txt" }],
    ["LS", {}],
    ["Grep", { pattern: "top" }],
    ["Glob", { pattern: "*" }],
    ["Write", { file_path: "new.txt", content: "x" }],
    ["Edit", { file_path: secret, old_string: "top", new_string: "no" }],
  ] as const)
    expect(await call(toolNamed(name), input, context), name).toMatchObject({
      isError: true,
      content: expect.stringContaining("was replaced by a link"),
    })
})

test("no tool searches the kernel's file systems inside a directory", async () => {
  const { context } = createWorkspace({ cwd: "/" })
  for (const file_path of ["/proc/self/environ", "proc/1/cmdline", "/dev/null", "sys/kernel/version", "/run/x"])
    expect(await call(toolNamed("Read"), { file_path }, context), file_path).toMatchObject({
      isError: true,
      content: expect.stringContaining("closed to tools"),
    })
  const listed = await call(
    toolNamed("LS"),
    { path: "/", ignore: ["usr", "lib*", "home", "root", "tmp", "work"] },
    context,
  )
  expect(listed.content).not.toMatch(/^(proc|sys|dev|run)\//m)
  for (const [name, input] of [
    ["LS", { path: "/proc" }],
    ["Grep", { pattern: "PATH", path: "/proc/self" }],
    ["Glob", { pattern: "*", path: "/proc/self" }],
  ] as const)
    expect(await call(toolNamed(name), input, context), name).toMatchObject({ isError: true })
  expect((await call(toolNamed("Glob"), { pattern: "proc/self/*" }, context)).content).toContain("No files match")
  const hidden = hiddenDirectories({ cwd: "/" })
  expect(hidden).toEqual(expect.arrayContaining(["/proc", "/sys", "/dev", "/run"]))
})

test("no tool searches the data directory inside a directory, whatever its name", async () => {
  const { cwd, put } = createWorkspace()
  put("state/store.sqlite", "token-of-somebody")
  put("deep/er/state/temporal.db", "token-of-somebody")
  writeFileSync(join(cwd, "open.txt"), "token-of-nobody")
  for (const dataDir of [join(cwd, "state"), join(cwd, "deep/er/state")]) {
    const { context } = createWorkspace({ cwd, dataDir })
    const name = dataDir.slice(cwd.length + 1)
    const file = name === "state" ? "state/store.sqlite" : "deep/er/state/temporal.db"
    expect(await call(toolNamed("Read"), { file_path: file }, context)).toMatchObject({ isError: true })
    expect(await call(toolNamed("Write"), { file_path: `${name}/x`, content: "x" }, context)).toMatchObject({
      isError: true,
    })
    expect((await call(toolNamed("Grep"), { pattern: "token-of" }, context)).content).not.toContain(file)
    expect((await call(toolNamed("Glob"), { pattern: "**/*" }, context)).content).not.toContain(file)
    expect((await call(toolNamed("LS"), {}, context)).content).not.toContain(file.split("/").at(-1))
    expect(hiddenDirectories({ cwd, dataDir })).toContain(dataDir)
  }
})

test("tools run in a worktree of the data directory and see its files, but nothing else of the data directory", async () => {
  const { cwd, dataDir } = place()
  writeFileSync(join(dataDir, ".gitignore"), "*\n")
  const path = worktreePath(dataDir, "k1")
  mkdirSync(join(path, "src"), { recursive: true })
  writeFileSync(join(path, ".git"), `gitdir: ${cwd}/.git/worktrees/adjutant-k1\n`)
  writeFileSync(join(path, "src/a.ts"), "const needle = 1\n")
  writeFileSync(join(dataDir, "worktrees/k1/place.json"), "needle\n")
  for (const inside of [path, join(path, "src")]) expect(await directoryProblem(inside, dataDir)).toBeUndefined()
  const others = [
    join(path, ".."),
    join(path, "../.."),
    join(path, "../content"),
    join(dataDir, "worktrees/k1/adjutant-k2"),
  ]
  for (const outside of others)
    expect(await directoryProblem(outside, dataDir), outside).toMatchObject({ kind: "closed" })
  const { context } = createWorkspace({ cwd: path, dataDir, spillDir: join(dataDir, "spill/abc123") })
  expect((await call(toolNamed("Grep"), { pattern: "needle" }, context)).content).toContain("src/a.ts")
  expect((await call(toolNamed("Glob"), { pattern: "**/*.ts" }, context)).content).toBe("src/a.ts")
  expect((await call(toolNamed("LS"), {}, context)).content).toContain("a.ts")
  expect((await call(toolNamed("Read"), { file_path: "src/a.ts" }, context)).content).toContain("needle")
  expect((await call(toolNamed("Write"), { file_path: "src/b.ts", content: "x" }, context)).isError).not.toBe(true)
  expect((await call(toolNamed("Read"), { file_path: "../place.json" }, context)).isError).toBe(true)
})
