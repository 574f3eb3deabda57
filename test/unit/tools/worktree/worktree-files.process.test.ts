import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { worktreePath } from "../../../../domain/workspace/worktree/worktree-place.ts"
import { defaultWorktreeLimits } from "../../../../tools/worktree/tree-of.ts"
import { createWorktreeFiles } from "../../../../tools/worktree/worktree-files.ts"
import { eventually } from "../../../helpers/eventually.ts"
import { git, initRepository, put, textOf, worktreesLeft } from "../../../helpers/worktree-repository.ts"

const files = createWorktreeFiles()
const gitProgram = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()

const place = (content: Readonly<Record<string, string>> = { "a.txt": "one\n", "src/b.txt": "two\n" }) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-worktree-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const source = join(root, "project")
  const dataDir = join(root, "data")
  mkdirSync(source)
  mkdirSync(dataDir)
  initRepository(source, content)
  const path = worktreePath(dataDir, "k1")
  return { root, source, dataDir, path, wanted: { storeId: "s", sessionId: "abc123", source, path } }
}

const endOf = async (path: string) => {
  const end = await files.end(path)
  if (end === undefined) throw new Error("there is no worktree")
  return end
}

const changesOf = async (path: string) =>
  (await endOf(path)).files.map(({ path: file, change }) => `${change} ${file}`).toSorted()

describe("a worktree", () => {
  test("begins with the files as they are: committed, changed, new and removed ones, but not ignored ones", async () => {
    const { source, path, wanted } = place({ "a.txt": "one\n", "gone.txt": "x\n", ".gitignore": "*.log\n" })
    put(source, "a.txt", "changed\n")
    put(source, "new/file.txt", "new\n")
    put(source, "debug.log", "ignored\n")
    unlinkSync(join(source, "gone.txt"))
    await files.open(wanted)
    expect(textOf(path, "a.txt")).toBe("changed\n")
    expect(textOf(path, "new/file.txt")).toBe("new\n")
    expect(existsSync(join(path, "gone.txt"))).toBe(false)
    expect(existsSync(join(path, "debug.log"))).toBe(false)
    expect(await endOf(path)).toMatchObject({ files: [], leftOut: [] })
    expect(git(source, "worktree", "list")).toContain(path)
    expect(git(source, "status", "--porcelain")).toBe(" M a.txt\n D gone.txt\n?? new/")
  })

  test("is compared with what it began with, and merged into the source as one change", async () => {
    const { source, path, wanted } = place()
    put(source, "a.txt", "not committed\n")
    await files.open(wanted)
    put(path, "src/b.txt", "two\nthree\n")
    put(path, "bin.dat", Buffer.from([0, 1, 2, 255]))
    put(path, "latin1.txt", Buffer.from("caf\xe9\n", "latin1"))
    put(path, 'odd "name"\n.txt', "odd\n")
    unlinkSync(join(path, "a.txt"))
    chmodSync(join(path, "src/b.txt"), 0o755)
    const end = await endOf(path)
    expect(end.files).toContainEqual({ path: "src/b.txt", change: "modified", added: 1, deleted: 0 })
    expect(end.files).toContainEqual({ path: "bin.dat", change: "added", added: null, deleted: null })
    expect(end.files.map(({ path: file }) => file)).toContain('odd "name"\n.txt')
    expect(await files.check(source, end.patch)).toEqual({ kind: "applied" })
    expect(textOf(source, "src/b.txt")).toBe("two\n")
    expect(await files.merge(source, end.patch)).toEqual({ kind: "applied" })
    expect(textOf(source, "src/b.txt")).toBe("two\nthree\n")
    expect(lstatSync(join(source, "src/b.txt")).mode & 0o111).not.toBe(0)
    expect(textOf(source, 'odd "name"\n.txt')).toBe("odd\n")
    expect(existsSync(join(source, "a.txt"))).toBe(false)
    expect(await files.merge(source, end.patch)).toEqual({ kind: "present" })
  })

  test("leaves nothing behind, and other worktrees of the repository as they are", async () => {
    const { root, source, dataDir, path, wanted } = place()
    git(source, "worktree", "add", "-q", "--detach", join(root, "of-the-user"))
    await files.open(wanted)
    expect((await files.list(dataDir)).get(path)).toMatchObject({ sessionId: "abc123", source })
    mkdirSync(join(path, "closed"))
    put(path, "closed/file", "x")
    chmodSync(join(path, "closed"), 0o000)
    await files.remove(path)
    await files.remove(path)
    expect(worktreesLeft(source, dataDir)).toEqual([`worktree ${join(root, "of-the-user")}`, "of-the-user"])
    git(source, "worktree", "remove", join(root, "of-the-user"))
    await files.open(wanted)
    await files.remove(path)
    expect(worktreesLeft(source, dataDir)).toEqual([])
    expect(git(source, "status", "--porcelain")).toBe("")
    expect(existsSync(join(source, ".git/worktrees"))).toBe(false)
  })

  test("is forgotten also where its entry names it by a relative path, and where git is told to do that", async () => {
    const { source, dataDir, path, wanted } = place()
    git(source, "config", "worktree.useRelativePaths", "true")
    await files.open(wanted)
    const [entry = ""] = readdirSync(join(source, ".git/worktrees"))
    const pointer = join(".git/worktrees", entry, "gitdir")
    expect(textOf(source, pointer)).toBe(`${path}/.git\n`)
    expect(git(source, "config", "--get-regexp", "^(core|extensions)")).not.toContain("relativeworktrees")
    put(source, pointer, `${relative(join(source, ".git/worktrees", entry), join(path, ".git"))}\n`)
    await files.remove(path)
    expect(worktreesLeft(source, dataDir)).toEqual([])
  })

  test("is not created once its run is to stop: git is stopped, and nothing is left", async () => {
    const { root, source, dataDir, path, wanted } = place()
    const programs = join(root, "programs")
    const started = join(root, "started")
    put(
      programs,
      "git",
      `#!/bin/sh\ncase "$*" in *read-tree*) echo $$ > ${started}; exec sleep 1000;; esac\nexec ${gitProgram} "$@"\n`,
    )
    chmodSync(join(programs, "git"), 0o755)
    vi.stubEnv("PATH", `${programs}:${process.env["PATH"] ?? ""}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const controller = new AbortController()
    const opened = files.open({ ...wanted, signal: controller.signal })
    await eventually(() => existsSync(started) && textOf(root, "started") !== "")
    controller.abort(new Error("the run was cancelled"))
    await expect(opened).rejects.toThrow("the run was cancelled")
    const pid = Number(textOf(root, "started"))
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
    vi.unstubAllEnvs()
    expect(worktreesLeft(source, dataDir)).toEqual([])
    await files.open(wanted)
    const late = AbortSignal.abort(new Error("the worker stops"))
    await expect(files.end(path, late)).rejects.toThrow("the worker stops")
    expect(existsSync(path)).toBe(true)
  })

  test("that exists stays as it is, and one whose creation was interrupted is created again", async () => {
    const { source, dataDir, path, wanted } = place()
    await files.open(wanted)
    put(path, "work.txt", "half done\n")
    await files.open(wanted)
    expect(textOf(path, "work.txt")).toBe("half done\n")
    rmSync(join(path, "..", "place.json"))
    await files.open(wanted)
    expect(existsSync(join(path, "work.txt"))).toBe(false)
    await files.remove(path)
    expect(worktreesLeft(source, dataDir).filter((left) => !left.startsWith("worktree "))).toHaveLength(0)
  })

  test("continues with the changes of an earlier run, or says that they do not fit any more", async () => {
    const { source, dataDir, path, wanted } = place()
    await files.open(wanted)
    put(path, "a.txt", "one\nof the sub-agent\n")
    const { patch } = await endOf(path)
    await files.remove(path)
    put(source, "src/b.txt", "changed meanwhile\n")
    await files.open({ ...wanted, patch })
    expect(textOf(path, "a.txt")).toBe("one\nof the sub-agent\n")
    expect(textOf(path, "src/b.txt")).toBe("changed meanwhile\n")
    expect(await changesOf(path)).toEqual(["modified a.txt"])
    await files.remove(path)
    put(source, "a.txt", "something else\n")
    await expect(files.open({ ...wanted, patch })).rejects.toThrow(/do not fit the files as they are now/)
    expect(worktreesLeft(source, dataDir)).toEqual([])
  })
})

describe("a merge that does not fit", () => {
  test("changes nothing, and leaves no markers of conflicts", async () => {
    const { source, path, wanted } = place({ "a.txt": "one\n", "z.txt": "last\n" })
    await files.open(wanted)
    put(path, "a.txt", "sub-agent\n")
    put(path, "z.txt", "sub-agent\n")
    const { patch } = await endOf(path)
    put(source, "z.txt", "person\n")
    expect(await files.merge(source, patch)).toMatchObject({
      kind: "conflict",
      reason: expect.stringContaining("z.txt"),
    })
    expect(textOf(source, "a.txt")).toBe("one\n")
    expect(textOf(source, "z.txt")).toBe("person\n")
    expect(git(source, "status", "--porcelain")).toBe(" M z.txt")
  })

  test("does not write through a link, into .git or out of the directory", async () => {
    const { root, source } = place()
    symlinkSync(root, join(source, "out"))
    for (const path of ["out/evil.txt", ".git/hooks/post-checkout", "../evil.txt"]) {
      const patch = `diff --git a/${path} b/${path}\nnew file mode 100755\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+evil\n`
      expect(await files.merge(source, Buffer.from(patch)), path).toMatchObject({ kind: "conflict" })
    }
    expect(existsSync(join(root, "evil.txt"))).toBe(false)
    expect(existsSync(join(source, ".git/hooks/post-checkout"))).toBe(false)
  })
})

describe("nothing that a repository configures is run", () => {
  test("neither filters, hooks, monitors, external diffs and text conversions nor includes", async () => {
    const { root, source, path, wanted } = place({
      "a.txt": "one\n",
      ".gitattributes": "*.txt filter=evil diff=evil merge=evil text eol=crlf\n*.md ident\n",
    })
    const evil = join(root, "evil.sh")
    const proof = join(root, "proof")
    put(root, "evil.sh", `#!/bin/sh\necho "$0 $@" >> ${proof}\ncat\n`)
    chmodSync(evil, 0o755)
    mkdirSync(join(source, ".git/hooks"), { recursive: true })
    for (const hook of [
      "post-checkout",
      "post-index-change",
      "reference-transaction",
      "pre-commit",
      "fsmonitor-watchman",
    ])
      symlinkSync(evil, join(source, ".git/hooks", hook))
    put(
      root,
      "included",
      `[filter "evil"]\n clean = ${evil}\n smudge = ${evil}\n process = ${evil}\n required = true\n[diff "evil"]\n textconv = ${evil}\n command = ${evil}\n[merge "evil"]\n driver = ${evil}\n`,
    )
    for (const [key, value] of [
      ["core.fsmonitor", evil],
      ["core.hooksPath", join(source, ".git/hooks")],
      ["diff.external", evil],
      ["core.pager", evil],
      ["core.editor", evil],
      ["core.sshCommand", evil],
      ["include.path", join(root, "included")],
      ["core.attributesFile", join(root, "attributes")],
    ] as const)
      git(source, "config", key, value)
    put(root, "attributes", "* filter=evil\n")
    put(source, ".git/info/attributes", "* filter=evil diff=evil\n")
    put(source, "a.txt", "changed\n")
    await files.open(wanted)
    put(path, "a.txt", "by the sub-agent\n")
    put(path, "new.txt", "new\n")
    put(path, ".gitattributes", "* filter=evil diff=evil merge=evil working-tree-encoding=UTF-16\n")
    const end = await endOf(path)
    expect(await files.check(source, end.patch)).toEqual({ kind: "applied" })
    expect(await files.merge(source, end.patch)).toEqual({ kind: "applied" })
    await files.remove(path)
    expect(textOf(source, "a.txt")).toBe("by the sub-agent\n")
    expect(existsSync(proof)).toBe(false)
  })

  test("not if the directory is a worktree of another repository, either", async () => {
    const { root, source, dataDir } = place()
    const second = join(root, "second")
    git(source, "worktree", "add", "-q", "--detach", second)
    const path = worktreePath(dataDir, "k2")
    await files.open({ storeId: "s", sessionId: "abc123", source: second, path })
    put(path, "a.txt", "changed\n")
    const { patch } = await endOf(path)
    expect(await files.merge(second, patch)).toEqual({ kind: "applied" })
    expect(textOf(second, "a.txt")).toBe("changed\n")
    expect(textOf(source, "a.txt")).toBe("one\n")
    await files.remove(path)
    expect(git(source, "worktree", "list").split("\n")).toHaveLength(2)
  })
})

describe("what is in a worktree", () => {
  test("links that lead out are named, and are stored as links", async () => {
    const { root, source, path, wanted } = place()
    put(root, "secret.txt", "secret\n")
    await files.open(wanted)
    symlinkSync(join(root, "secret.txt"), join(path, "absolute"))
    symlinkSync("../../secret.txt", join(path, "src/relative"))
    symlinkSync("a.txt", join(path, "inside"))
    const end = await endOf(path)
    expect(end.patch.toString("utf8")).not.toContain("+secret\n")
    const links = end.files.map(({ path: file, leadsTo }) => [file, leadsTo])
    expect(links).toContainEqual(["absolute", join(root, "secret.txt")])
    expect(links).toContainEqual(["src/relative", "../../secret.txt"])
    expect(links).toContainEqual(["inside", undefined])
    await files.merge(source, end.patch)
    expect(readlinkSync(join(source, "inside"))).toBe("a.txt")
  })

  test("a repository inside it and a pipe are left out and named; a directory can replace a file", async () => {
    const { path, wanted } = place()
    await files.open(wanted)
    mkdirSync(join(path, "nested"))
    initRepository(join(path, "nested"), { "inner.txt": "inner\n" })
    unlinkSync(join(path, "a.txt"))
    put(path, "a.txt/inside.txt", "x\n")
    execFileSync("mkfifo", [join(path, "src/pipe")])
    unlinkSync(join(path, "src/b.txt"))
    execFileSync("mkfifo", [join(path, "src/b.txt")])
    const end = await endOf(path)
    expect(end.leftOut).toEqual(["nested/: a repository of its own", "src/b.txt: neither a file nor a link"])
    expect(end.files.map(({ path: file, change }) => `${change} ${file}`)).toEqual([
      "deleted a.txt",
      "added a.txt/inside.txt",
    ])
    expect(end.patch.toString("utf8")).not.toContain("inner")
  })

  test("submodules and other repositories are named, and not touched", async () => {
    const { root, source, path, wanted } = place()
    mkdirSync(join(root, "module"))
    initRepository(join(root, "module"), { "m.txt": "m\n" })
    git(source, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(root, "module"), "mod")
    git(source, "commit", "-q", "-m", "module")
    mkdirSync(join(source, "nested"))
    initRepository(join(source, "nested"), { "inner.txt": "inner\n" })
    const status = git(source, "status", "--porcelain")
    expect(await files.missing(source)).toEqual(["mod (a submodule)", "nested/ (a repository of its own)"])
    await files.open(wanted)
    expect(git(source, "status", "--porcelain")).toBe(status)
    expect(existsSync(join(path, "mod/m.txt"))).toBe(false)
    rmSync(join(path, "mod"), { recursive: true, force: true })
    put(path, "a.txt", "changed\n")
    expect(await changesOf(path)).toEqual(["modified a.txt"])
  })
})

describe("a directory that can have no worktree", () => {
  const refusal = async (source: string, root: string): Promise<string> => {
    const path = worktreePath(join(root, "data"), "k9")
    try {
      await files.open({ storeId: "s", sessionId: "abc123", source, path })
    } catch (error) {
      expect(existsSync(join(root, "data", "worktrees", "k9"))).toBe(false)
      return error instanceof Error ? error.message : String(error)
    }
    throw new Error("it was accepted")
  }

  test("is refused with what to do", async () => {
    const { root, source } = place()
    mkdirSync(join(root, "plain"))
    mkdirSync(join(root, "empty"))
    git(join(root, "empty"), "init", "-q")
    git(root, "clone", "-q", "--bare", source, "bare.git")
    expect(await refusal(join(root, "plain"), root)).toMatch(/needs a git repository.*run "git init" and commit/)
    expect(await refusal(join(root, "empty"), root)).toMatch(/has none: commit first/)
    expect(await refusal(join(root, "bare.git"), root)).toMatch(/is a bare repository/)
    expect(await refusal(join(source, "src"), root)).toMatch(/needs the root of a working tree/)
    expect(await refusal(join(root, "none"), root)).toMatch(/does not exist/)
  })

  test("a shallow clone can have one", async () => {
    const { root, source, dataDir } = place()
    put(source, "a.txt", "second\n")
    git(source, "commit", "-qam", "second")
    git(root, "clone", "-q", "--depth", "1", `file://${source}`, "shallow")
    const path = worktreePath(dataDir, "k3")
    await files.open({ storeId: "s", sessionId: "abc123", source: join(root, "shallow"), path })
    expect(textOf(path, "a.txt")).toBe("second\n")
  })

  test("nor can one with more than the limits, and changes beyond them are refused", async () => {
    const { path, wanted } = place()
    const small = (limits: object) => createWorktreeFiles({ ...defaultWorktreeLimits, ...limits })
    await expect(small({ maxFiles: 1 }).open(wanted)).rejects.toThrow(/too large for a worktree: 2 files, at most 1/)
    await expect(small({ maxBytes: 1 }).open(wanted)).rejects.toThrow(/too large for a worktree/)
    await files.open(wanted)
    put(path, "a.txt", "x\n".repeat(1_000))
    await expect(small({ maxChangedBytes: 100 }).end(path)).rejects.toThrow(/too much has changed/)
    await expect(small({ maxPatchBytes: 100 }).end(path)).rejects.toThrow(/changes are too large/)
  })
})
