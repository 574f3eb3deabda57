import { mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { isInside } from "../../../../domain/workspace/is-inside.ts"
import { confinePath, protectedChange } from "../../../../tools/files/confined-path.ts"
import { write } from "../../../../tools/files/write.ts"
import { createWorkspace } from "../workspace.ts"

test("a relative and an absolute path inside the directory resolve to the same real path", async () => {
  const { cwd, context, put } = createWorkspace()
  put("src/a.ts", "")
  const expected = { real: join(cwd, "src/a.ts"), shown: "src/a.ts" }
  expect(await confinePath("src/a.ts", context, "read")).toEqual(expected)
  expect(await confinePath(join(cwd, "src/./x/../a.ts"), context, "write")).toEqual(expected)
})

test.each(["../secret.txt", "a/../../secret.txt", "/etc/passwd", "..", "../project-2/x", "/"])(
  "rejects %s",
  async (path) => {
    const { context } = createWorkspace()
    for (const use of ["read", "search", "write"] as const) {
      await expect(confinePath(path, context, use)).rejects.toThrow("outside the working directory")
    }
  },
)

test("accepts a name that starts with two dots", async () => {
  const { context } = createWorkspace()
  expect((await confinePath("..hidden", context, "write")).shown).toBe("..hidden")
})

test("rejects links that lead outside: to a file, to a directory, dangling, and chained", async () => {
  const { cwd, root, secret, context } = createWorkspace()
  symlinkSync(secret, join(cwd, "file"))
  symlinkSync(root, join(cwd, "directory"))
  symlinkSync(join(root, "not-yet"), join(cwd, "dangling"))
  symlinkSync("dangling", join(cwd, "chained"))
  symlinkSync("../new-directory", join(cwd, "relative"))
  for (const path of ["file", "directory/secret.txt", "directory/new/deep", "dangling", "chained", "relative/x"]) {
    await expect(confinePath(path, context, "write"), path).rejects.toThrow("outside the working directory")
  }
})

test("a link that stays inside leads to its target, whether or not the target exists", async () => {
  const { cwd, context, put } = createWorkspace()
  put("real/a.txt", "")
  symlinkSync("real", join(cwd, "link"))
  symlinkSync("real/new.txt", join(cwd, "later"))
  expect((await confinePath("link/a.txt", context, "read")).real).toBe(join(cwd, "real/a.txt"))
  expect((await confinePath("later", context, "write")).real).toBe(join(cwd, "real/new.txt"))
})

test("a call that runs by a grant uses only the path for which the grant was judged", async () => {
  const { cwd, context, put } = createWorkspace({ grantedPath: "docs/a.md" })
  put("docs/a.md", "")
  put("src/a.md", "mine")
  for (const use of ["read", "search", "write"] as const) {
    expect((await confinePath("docs/a.md", context, use)).shown).toBe("docs/a.md")
    await expect(confinePath("src/a.md", context, use)).rejects.toThrow("a grant covers")
  }
  renameSync(join(cwd, "docs"), join(cwd, "old"))
  symlinkSync("src", join(cwd, "docs"))
  const written = await write.execute({ file_path: "docs/a.md", content: "evil" }, context)
  expect(written).toMatchObject({ isError: true, content: expect.stringContaining("leads elsewhere now") })
  expect(readFileSync(join(cwd, "src/a.md"), "utf8")).toBe("mine")
})

test("a loop of links is an error and does not hang", async () => {
  const { cwd, context } = createWorkspace()
  symlinkSync("b", join(cwd, "a"))
  symlinkSync("a", join(cwd, "b"))
  await expect(confinePath("a/x", context, "read")).rejects.toThrow()
})

test("the data directory is closed under every name, except for reading kept outputs", async () => {
  const { cwd, context, put } = createWorkspace()
  put(".adjutant/store.sqlite", "")
  put(".adjutant/spill/abc123/out.txt", "")
  put(".adjutant/spill/other1/out.txt", "")
  symlinkSync(".adjutant", join(cwd, "alias"))
  for (const path of [
    ".adjutant",
    ".adjutant/store.sqlite",
    ".Adjutant/x",
    "alias/store.sqlite",
    "sub/.adjutant/x",
    ".adjutant/spill/other1/out.txt",
  ]) {
    await expect(confinePath(path, context, "read"), path).rejects.toThrow("data directory")
  }
  expect((await confinePath(".adjutant/spill/abc123/out.txt", context, "read")).shown).toBe(
    join(context.spillDir, "out.txt"),
  )
  for (const use of ["write", "search"] as const) {
    await expect(confinePath(".adjutant/spill/abc123/out.txt", context, use)).rejects.toThrow("data directory")
  }
})

test("a data directory with another name is closed too, even through a link", async () => {
  const workspace = createWorkspace()
  const context = { ...workspace.context, dataDir: join(workspace.cwd, "state") }
  workspace.put("state/store.sqlite", "")
  symlinkSync("state", join(workspace.cwd, "alias"))
  for (const path of ["state", "state/store.sqlite", "alias/store.sqlite"]) {
    await expect(confinePath(path, context, "search"), path).rejects.toThrow("data directory")
  }
})

test("file tools write to a protected path only if a person approved that very call, and read it always", async () => {
  const { context, put } = createWorkspace()
  put(".envrc", "")
  const approved = { ...context, mayChangeProtected: true }
  for (const path of [".git/hooks/pre-commit", ".git/index", ".envrc", "sub/AGENTS.md", "new/.vscode/tasks.json"]) {
    await expect(confinePath(path, context, "write"), path).rejects.toThrow("needs a person's approval")
    expect((await confinePath(path, approved, "write")).shown).toBe(path)
    expect(await protectedChange(path, context), path).toBeDefined()
    expect((await confinePath(path, context, "read")).shown).toBe(path)
  }
  expect((await confinePath(".gitignore", context, "write")).shown).toBe(".gitignore")
  expect(await protectedChange(".gitignore", context)).toBeUndefined()
})

test("an approval does not cover a link: its name could lead to another file by the time the call runs", async () => {
  const { cwd, context, put } = createWorkspace()
  const approved = { ...context, mayChangeProtected: true }
  put(".git/hooks/pre-commit", "")
  symlinkSync(".git/hooks", join(cwd, "notes"))
  for (const each of [context, approved])
    await expect(confinePath("notes/pre-commit", each, "write")).rejects.toThrow("leads through a link")
  expect((await confinePath(".git/hooks/pre-commit", approved, "write")).shown).toBe(".git/hooks/pre-commit")
})

test("the file to which a protected link leads is protected, too", async () => {
  const { cwd, context, put } = createWorkspace()
  put("settings/envrc", "")
  put("editor/tasks.json", "")
  symlinkSync("settings/envrc", join(cwd, ".envrc"))
  symlinkSync("editor", join(cwd, ".vscode"))
  for (const path of ["settings/envrc", "editor/tasks.json", "editor/new.json"])
    expect(await protectedChange(path, context), path).toBe(path)
  expect(await protectedChange("settings/other", context)).toBeUndefined()
})

test("a git directory with another name is protected, also while it is being put together", async () => {
  const { context, put } = createWorkspace()
  put("bare/HEAD", "ref: refs/heads/main")
  put("bare/objects/info/packs", "")
  expect(await protectedChange("bare/config", context)).toBeUndefined()
  expect(await protectedChange("bare/refs/heads/main", context)).toBe("bare/refs/heads/main")
  put("bare/refs/heads/main", "")
  expect(await protectedChange("bare/config", context)).toBe("bare/config")
  expect(await protectedChange("bare/hooks/pre-commit", context)).toBe("bare/hooks/pre-commit")
})

test("what the configuration and that of the repository name is protected, and nothing else", async () => {
  const { cwd, context, put } = createWorkspace()
  put(
    ".git/config",
    '[core]\n\thooksPath = scripts/hooks\n[include]\n\tpath = ../shared.gitconfig\n[filter "x"]\n\tclean = ./clean.sh %f\n',
  )
  for (const name of ["scripts/hooks/pre-commit", "shared.gitconfig", "clean.sh", "scripts/build.sh"]) put(name, "")
  const place = { ...context, namedFiles: [join(cwd, "check.sh"), cwd] }
  for (const path of ["scripts/hooks/pre-commit", "scripts/hooks/new", "shared.gitconfig", "clean.sh", "check.sh"])
    expect(await protectedChange(path, place), path).toBe(path)
  for (const path of ["scripts/build.sh", "other.sh"]) expect(await protectedChange(path, place), path).toBeUndefined()
})

test("scripts that a configuration of git runs, and folders from which a named program loads code, are protected", async () => {
  const { cwd, context, put } = createWorkspace()
  const clean =
    "clean = \"node tools/f --all %f\"\n\tsmudge = cd lib && python3 -m pkg.mod\n\tprocess = sh -c 'bun tools/p'"
  put(".git/config", `[filter "x"]\n\t${clean}\n`)
  const scripts = ["tools/f.js", "pkg/mod.py", "pkg/__init__.py", "tools/p/index.ts"]
  for (const name of [...scripts, "tools/g.js", "bin/run"]) put(name, "")
  const place = { ...context, namedFiles: [join(cwd, "bin/"), join(cwd, "later/"), `${cwd}/`] }
  for (const path of [...scripts, "bin/run", "bin/new", "later/deep/new"])
    expect(await protectedChange(path, place), path).toBe(path)
  for (const path of ["tools/g.js", "pkg/other.py", "binary", "x"])
    expect(await protectedChange(path, place), path).toBeUndefined()
})

const segment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("..", ".", "a", "b", "up", "out", "home", "new", "loop") },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z.~ -]{1,8}$/) },
)

test("no mixture of segments and links leads out of the directory", async () => {
  const { cwd, root, context } = createWorkspace()
  mkdirSync(join(cwd, "a/b"), { recursive: true })
  writeFileSync(join(cwd, "a/file"), "")
  symlinkSync("..", join(cwd, "a/up"))
  symlinkSync("../../..", join(cwd, "a/b/up"))
  symlinkSync(root, join(cwd, "out"))
  symlinkSync("../out", join(cwd, "a/out"))
  symlinkSync(cwd, join(cwd, "home"))
  symlinkSync("../../nowhere", join(cwd, "a/new"))
  symlinkSync("loop", join(cwd, "loop"))
  const existing = (path: string): string => {
    try {
      return realpathSync(path)
    } catch {
      return existing(dirname(path))
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 8 }), fc.boolean(), async (segments, absolute) => {
      const requested = absolute ? `${cwd}/${segments.join("/")}` : segments.join("/")
      const outcome = await confinePath(requested, context, "write").catch(() => undefined)
      if (outcome === undefined) return
      expect(isInside(cwd, outcome.real)).toBe(true)
      expect(isInside(cwd, existing(outcome.real))).toBe(true)
      // The returned path has no link left that could lead elsewhere.
      expect(outcome.real.startsWith(existing(outcome.real))).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test("a write to where a protected link leads needs approval, at any depth and where nothing is yet", async () => {
  const { cwd, context, put } = createWorkspace()
  put("conf/tasks.json", "{}")
  mkdirSync(join(cwd, "sub/.claude"), { recursive: true })
  symlinkSync("../conf", join(cwd, "sub/.vscode"))
  symlinkSync("../../skills", join(cwd, "sub/.claude/skills"))
  symlinkSync("../later/rc", join(cwd, "sub/.envrc"))
  for (const path of ["conf/tasks.json", "conf/new.json", "skills/new.md", "later/rc"])
    expect(await protectedChange(path, context), path).toBe(path)
  for (const path of ["later/other", "sub/file"]) expect(await protectedChange(path, context), path).toBeUndefined()
})

test("a file that the configuration names through a linked folder is protected before it exists", async () => {
  const { cwd, context } = createWorkspace()
  mkdirSync(join(cwd, "real"))
  symlinkSync("real", join(cwd, "link"))
  const place = { ...context, namedFiles: [join(cwd, "link/t.yaml")] }
  expect(await protectedChange("real/t.yaml", place)).toBe("real/t.yaml")
  expect(await protectedChange("real/other.yaml", place)).toBeUndefined()
})
