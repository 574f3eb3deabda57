import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { linkSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test, vi } from "vitest"
import { writeApproved } from "../../../../tools/protection/write-approved.ts"
import type { PlantedPaths } from "../../../../tools/sandbox/sandbox.ts"
import { describeEachBackend } from "./backends.ts"
import { createCommand } from "./command.ts"
import { createGuarded } from "./guarded.ts"
import { untilPasses } from "../../../helpers/eventually.ts"

// A confined command wrote the configuration and the hooks of git, editors, shells and Adjutant, and programs outside ran them later.

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@example.org", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  })

const names = [".envrc", ".mcp.json", ".bashrc", "AGENTS.md", "TOOLS.md", "adjutant.config.yaml"]
const folders = [".vscode", ".idea", ".claude"]

const withRepository = (rig: ReturnType<typeof createGuarded>) => {
  git(rig.cwd, "init", "-q", ".")
  git(rig.cwd, "commit", "-q", "--allow-empty", "-m", "first")
  return readFileSync(join(rig.cwd, ".git/config"), "utf8")
}

await describeEachBackend(async ({ name: backend, create }) => {
  const sandbox = await create()
  const open = () => createGuarded(sandbox)

  test("protected files that exist are read-only, and cannot be moved, removed or linked", async () => {
    const rig = open()
    for (const name of names) rig.put(name, "mine")
    for (const name of folders) rig.put(`${name}/settings.json`, "mine")
    const all = [...names, ...folders.map((name) => `${name}/settings.json`)]
    const { output } = await rig.run(
      [
        ...all.map((name) => `echo evil > ${name}; mv ${name} moved; rm -f ${name}; ln ${name} other; echo x >> other`),
        ...folders.map((name) => `mv ${name} gone; rm -rf ${name}; touch ${name}/new`),
        `cat ${all.join(" ")}; ls -A`,
      ].join("; "),
    )
    for (const name of all) expect(await rig.read(name), name).toBe("mine")
    expect(output).toContain("Read-only file system")
    expect(rig.has("gone")).toBe(false)
    for (const name of folders) expect(rig.has(`${name}/new`)).toBe(false)
  })

  test("git commits, branches and merges, but its configuration and hooks stay as they were", async () => {
    const rig = open()
    const config = withRepository(rig)
    const identity = "git config --global user.name me; git config --global user.email me@example.org"
    const { output, planted } = await rig.run(
      `${identity}; echo hi > a && git add a && git commit -qm second && git checkout -qb side && git mv a b && git commit -qam third && git checkout -q - && git merge -q side && git tag v1 && git stash list && git gc -q && git log --oneline | wc -l && git status --short`,
    )
    expect(output.trim()).toBe("3")
    expect(planted).toEqual([])
    const attack = [
      "echo '[core] fsmonitor = evil' >> .git/config",
      "git config core.fsmonitor evil",
      "cp .git/config c && echo '[core] fsmonitor = evil' >> c && mv -f c .git/config",
      "echo evil > .git/hooks/pre-commit; mv .git/hooks h; rm -rf .git/hooks; mkdir -p .git/hooks",
      "mv .git other && cp -r other .git && echo '[core] fsmonitor = evil' >> .git/config",
      "rm -rf .git && git init -q . && git config core.fsmonitor evil",
      "ln .git/config link; echo evil >> link",
    ].join("; ")
    await rig.run(attack)
    expect(await rig.read(".git/config")).toBe(config)
    expect(rig.has(".git/hooks/pre-commit")).toBe(false)
    expect(rig.has("other")).toBe(false)
  })

  test("what a command plants is moved away and reported, and the rest of its work stays", async () => {
    const rig = open()
    withRepository(rig)
    const command = createCommand("")
    const deep = "packages/a"
    const { planted, output } = await rig.run(
      [
        ...names.map((name) => `echo evil > ${name}`),
        ...folders.map((name) => `mkdir ${name} && echo evil > ${name}/settings.json`),
        `mkdir -p ${deep}/.vscode ${deep}/.config/fish .adjutant && echo evil > ${deep}/.vscode/tasks.json && echo ok > ${deep}/file`,
        "echo evil > .git/info/attributes; ln -s ../evil .git/config.worktree",
        "echo evil > .EnvRC 2>/dev/null; mkfifo .zshrc",
        "mkdir locked && echo evil > locked/.envrc && chmod 000 locked; echo done",
      ].join("; "),
      { ownerId: command.ownerId },
    )
    expect(output).toContain("done")
    const expected = [
      ...names,
      ...folders,
      `${deep}/.vscode`,
      `${deep}/.config/fish`,
      ".adjutant",
      ".git/info/attributes",
      ".git/config.worktree",
      ".EnvRC",
      ".zshrc",
      "locked/.envrc",
    ]
    expect(planted?.map(({ path }) => path).toSorted()).toEqual(expected.toSorted())
    expect(new Set(planted?.map(({ state }) => state))).toEqual(new Set(["removed"]))
    for (const name of expected) expect(rig.has(name), name).toBe(false)
    expect(await rig.read(`${deep}/file`)).toBe("ok\n")
    expect(await rig.quarantined(command.ownerId)).toHaveLength(expected.length)
    expect(rig.late.map(({ planted: each }) => each.length)).toEqual([expected.length])
  })

  test("a new repository keeps a configuration that runs nothing, and loses one that does", async () => {
    const rig = open()
    const clean = await rig.run(
      "git init -q plain && cd plain && git config --file .git/config user.email me@example.org && git -c user.name=me -c user.email=me@x commit -q --allow-empty -m x && git worktree add -q ../tree && git remote add origin https://example.org/x.git && cd .. && git clone -q plain copy && git init -q --bare bare.git",
    )
    expect(clean.output).toBe("")
    expect(clean.planted).toEqual([])
    expect(rig.has("plain/.git/config")).toBe(true)
    const { planted } = await rig.run(
      [
        "git init -q one && git -C one config core.fsmonitor evil",
        "git init -q two && echo evil > two/.git/hooks/post-checkout",
        "git init -q --bare three && git --git-dir three config core.fsmonitor evil",
        "git init -q hidden && mv hidden/.git hidden/store && mkdir four && echo 'gitdir: ../hidden/store' > four/.git && git --git-dir hidden/store config core.pager evil",
        "mkdir -p objects refs && echo 'ref: refs/heads/main' > HEAD && printf '[core]\\nrepositoryformatversion = 0\\nfsmonitor = evil\\n' > config",
        "git init -q five && git -C five config remote.origin.url 'ext::sh -c evil' ; git init -q six && git -C six config include.path ../../evil",
        "mkdir seven && ln -s ../one/.git seven/.git",
      ].join("; "),
    )
    expect(planted?.map(({ path }) => path).toSorted()).toEqual(
      [
        ...["config", "one/.git/config", "two/.git/hooks", "three/config", "four/.git", "hidden/store/config"],
        ...["five/.git/config", "six/.git/config", "seven/.git"],
      ].toSorted(),
    )
  })

  test("files that the configuration and git name are protected, also behind links and other names", async () => {
    const rig = open()
    withRepository(rig)
    rig.put("tools/hook.sh", "mine")
    rig.put("scripts/check.sh", "mine")
    rig.put("hooks/pre-push", "mine")
    rig.put("linked.sh", "mine")
    rig.put("copy.sh", "mine")
    git(rig.cwd, "config", "core.hooksPath", "hooks")
    symlinkSync("../../linked.sh", join(rig.cwd, ".git/hooks/pre-commit"))
    linkSync(join(rig.cwd, "copy.sh"), join(rig.cwd, ".git/hooks/post-commit"))
    symlinkSync("notes.md", join(rig.cwd, "AGENTS.md"))
    rig.put("notes.md", "mine")
    const namedFiles = [join(rig.cwd, "tools/hook.sh"), join(rig.cwd, "scripts/check.sh"), join(rig.cwd, "later.sh")]
    const attack = [
      "for f in tools/hook.sh scripts/check.sh hooks/pre-push linked.sh copy.sh notes.md; do echo evil > $f; done",
      "mv tools t; mkdir tools; cp t/hook.sh tools; echo evil > tools/hook.sh; mv scripts s && mkdir scripts && echo evil > scripts/check.sh",
      "echo evil > hooks/post-merge; mv hooks h && mkdir hooks; rm AGENTS.md; echo evil > AGENTS.md; echo evil > later.sh",
    ].join("; ")
    const { planted } = await rig.run(attack, { protection: { namedFiles } })
    for (const name of ["tools/hook.sh", "scripts/check.sh", "hooks/pre-push", "linked.sh", "notes.md"])
      expect(await rig.read(name), name).toBe("mine")
    expect(await rig.read(".git/hooks/post-commit")).toBe("mine")
    expect(readlinkSync(join(rig.cwd, "AGENTS.md"))).toBe("notes.md")
    for (const name of ["later.sh", "hooks/post-merge"]) expect(rig.has(name), name).toBe(false)
    expect(planted?.map(({ path, state }) => `${path} ${state}`).toSorted()).toEqual(
      [".git/hooks/post-commit restored", "AGENTS.md restored", "later.sh removed"].toSorted(),
    )
  })

  test("a worktree, a submodule and a nested repository are protected like the outer one", async () => {
    const rig = open()
    withRepository(rig)
    git(rig.cwd, "worktree", "add", "-q", "tree")
    git(rig.cwd, "init", "-q", "lib/inner")
    mkdirSync(join(rig.cwd, ".git/modules/sub"), { recursive: true })
    writeFileSync(join(rig.cwd, ".git/modules/sub/config"), "mine")
    const before = await Promise.all(["tree/.git", "lib/inner/.git/config"].map(rig.read))
    const { planted } = await rig.run(
      [
        "echo 'gitdir: ../evil' > tree/.git; mv tree/.git x; mv tree moved; cp -r moved tree",
        "echo evil >> lib/inner/.git/config; mv lib/inner/.git y; mv lib/inner lib/z; mv lib zz",
        "echo evil > .git/modules/sub/config; mv .git/modules m; mkdir -p .git/worktrees/tree && echo ../../evil > .git/worktrees/tree/commondir; mkdir -p .git/modules/sub/hooks && echo evil > .git/modules/sub/hooks/post-checkout",
      ].join("; "),
    )
    expect(await Promise.all(["tree/.git", "lib/inner/.git/config"].map(rig.read))).toEqual(before)
    expect(await rig.read(".git/modules/sub/config")).toBe("mine")
    expect(await rig.read(".git/worktrees/tree/commondir")).toBe("../..\n")
    expect(planted?.map(({ path }) => path)).toEqual([".git/modules/sub/hooks"])
  })

  test("what a background command plants is moved away when it ends, and told with the next result", async () => {
    const rig = open()
    const { ownerId, outputFile } = createCommand("")
    const onPlanted = vi.fn<(found: PlantedPaths) => void>()
    const protection = { namedFiles: [], onPlanted }
    await rig.run("echo evil > .envrc; echo up; sleep 300", { background: true, ownerId, outputFile, protection })
    await untilPasses(() => expect(readFileSync(outputFile, "utf8")).toContain("up"))
    const settings = { real: join(rig.cwd, ".vscode/settings.json"), shown: ".vscode/settings.json" }
    await writeApproved(settings, "approved", { ...rig, mayChangeProtected: true })
    expect((await rig.run("true", { ownerId })).planted).toMatchObject([{ path: ".envrc", state: "removed" }])
    await rig.guarded.stopBackground(ownerId)
    expect(onPlanted.mock.calls).toMatchObject([[{ planted: [{ path: ".envrc", state: "removed" }] }]])
    expect(rig.has(".envrc")).toBe(false)
    expect(await rig.read(".vscode/settings.json")).toBe("approved")
    await rig.run("echo evil > .envrc & sleep 0.05", { background: true, ownerId, protection })
    await untilPasses(() => expect(onPlanted).toHaveBeenCalledTimes(2))
    expect((await rig.run("true", { ownerId })).planted).toMatchObject([{ path: ".envrc" }])
    expect((await rig.run("true", { ownerId })).planted).toEqual([])
  })

  test("what a command planted whose worker was killed is moved away by the next worker", async () => {
    const rig = open()
    const { workspace: _, ...command } = createCommand("echo evil > .envrc; touch ready; sleep 300")
    const file = fileURLToPath(import.meta.resolve("./start-guarded-command.ts"))
    const request = JSON.stringify({ ...command, cwd: rig.cwd })
    const worker = spawn(process.execPath, [file, request, backend, rig.dataDir], { stdio: "ignore" })
    await untilPasses(() => expect(rig.has("ready")).toBe(true))
    expect(await rig.guard.checkAbandoned()).toEqual([])
    worker.kill("SIGKILL")
    await once(worker, "exit")
    expect(await rig.guard.checkAbandoned()).toMatchObject([
      { sessionId: command.ownerId, planted: [{ path: ".envrc" }] },
    ])
    expect(rig.has(".envrc")).toBe(false)
    expect(await rig.guard.checkAbandoned()).toEqual([])
  })

  test("a stopped command is checked after its last process has ended", async () => {
    const rig = open()
    const { planted } = await rig.run("trap '' TERM; while :; do rm -rf .vscode; mkdir .vscode; done", {
      timeoutMs: 400,
    })
    expect(rig.has(".vscode")).toBe(false)
    expect((planted ?? []).length).toBeLessThanOrEqual(1)
  })

  test("files can be renamed and linked across directories with protected files", async () => {
    const rig = open()
    rig.put("a/.envrc", "mine")
    rig.put("a/file", "text")
    rig.put("b/.envrc", "mine")
    const { output } = await rig.run(
      `${process.execPath} -e 'const fs = require("fs"); fs.renameSync("a/file", "b/file"); fs.linkSync("b/file", "c")' && cat c`,
    )
    expect(output).toBe("text")
  })
})
