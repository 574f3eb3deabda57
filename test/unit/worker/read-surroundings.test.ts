import { mkdtemp, realpath } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { createUnconfined } from "../../../tools/sandbox/unconfined.ts"
import type { Sandbox } from "../../../tools/sandbox/sandbox.ts"
import { createReadSurroundings } from "../../../worker/read-surroundings.ts"

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd, stdio: "ignore" })

const snapshotIn = (cwd: string, more: Partial<RunSnapshot> = {}): RunSnapshot =>
  // Only what decides about commands and the place.
  ({
    cwd,
    tools: ["Bash"],
    deniedTools: [],
    sandbox: "auto",
    envAllow: [],
    timing: { killGraceMs: 100 },
    ...more,
  }) as unknown as RunSnapshot

const reader = (sandbox: Sandbox = createUnconfined("none here")) => {
  const commands: string[] = []
  const watched: Sandbox = {
    ...sandbox,
    run: async (command) => {
      commands.push(command.command)
      return await sandbox.run(command)
    },
  }
  const read = createReadSurroundings({
    sandboxFor: async () => watched,
    toolEnv: () => ({ PATH: process.env["PATH"] ?? "" }),
    allowedDomains: ["example.org"],
    now: () => new Date(2026, 10, 29, 23, 59),
  })
  return { read, commands }
}

test("reads the date, the directory, and what the shell of commands finds, once for each sandbox", async () => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-place-")))
  const { read, commands } = reader()
  const facts = await read(snapshotIn(cwd))
  expect(facts).toMatchObject({
    date: "2026-11-29",
    directory: cwd,
    commands: {
      isConfined: false,
      tools: {
        platform: execFileSync("uname", ["-srm"], { encoding: "utf8" }).trim(),
        shell: expect.stringMatching(/^\d+\.\d+/),
        programs: expect.arrayContaining(["git", "node"]),
      },
    },
  })
  expect(facts).not.toHaveProperty("branch")
  expect(await read(snapshotIn(cwd))).toEqual(facts)
  expect(commands).toHaveLength(1)
})

test("reads the branch of a repository, also before its first commit, and below its root", async () => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-place-")))
  git(cwd, "init", "--initial-branch", "feature/x")
  const { read } = reader()
  expect(await read(snapshotIn(cwd))).toMatchObject({ branch: "feature/x" })
  git(cwd, "commit", "--allow-empty", "--message", "one")
  git(cwd, "checkout", "--detach")
  expect(await read(snapshotIn(cwd))).toMatchObject({ branch: null })
  const worktree = { path: join(cwd, "w"), source: cwd, isOwn: true }
  const own = await read(snapshotIn(cwd, { worktree }))
  expect(own).toMatchObject({ directory: worktree.path })
  expect(own).not.toHaveProperty("branch")
  expect(own).not.toHaveProperty("missing")
  git(cwd, "init", "nested")
  git(join(cwd, "nested"), "commit", "--allow-empty", "--message", "one")
  expect(await read(snapshotIn(cwd, { worktree }))).toMatchObject({ missing: ["nested/ (a repository of its own)"] })
})

test("runs nothing for an agent without commands, or if commands are refused here", async () => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-place-")))
  const { read, commands } = reader()
  expect(await read(snapshotIn(cwd, { tools: ["Read"] }))).not.toHaveProperty("commands")
  expect(await read(snapshotIn(cwd, { sandbox: "require" }))).not.toHaveProperty("commands")
  expect(commands).toEqual([])
})

test("says only what commands can reach if the shell does not answer, and asks again for the next session", async () => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-place-")))
  const broken: Sandbox = {
    ...createUnconfined(""),
    kind: "docker",
    confined: true,
    run: () => Promise.reject(new Error("gone")),
  }
  const { read, commands } = reader(broken)
  const reach = { isConfined: true, hosts: ["example.org"], hasScratchOnly: false }
  expect((await read(snapshotIn(cwd))).commands).toEqual(reach)
  expect((await read(snapshotIn(cwd, { taskSandbox: true }))).commands).toEqual({ ...reach, hasScratchOnly: true })
  expect(commands).toHaveLength(2)
})
