import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { prepareDataDir } from "../../../../config/data-dir/prepare-data-dir.ts"

// A repository brought a data directory along, and its sessions continued with their programs.

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@example.org", ...args], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  })

const createPlace = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-data-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const project = join(root, "project")
  const dataDir = join(project, ".adjutant")
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(join(dataDir, "store.db"), "sessions")
  git(project, "init", "-q", ".")
  return { root, project, dataDir }
}

const tracked = { code: "data_dir_unusable", message: expect.stringContaining("git tracks files in it") }

test("a data directory that came with a clone is refused, even if the user names it or works below it", async () => {
  const { root, project, dataDir } = createPlace()
  git(project, "add", "-f", ".adjutant")
  git(project, "commit", "-qm", "first")
  git(root, "clone", "-q", "project", "clone")
  const cloned = join(root, "clone/.adjutant")
  chmodSync(cloned, 0o700)
  await expect(prepareDataDir(cloned)).rejects.toMatchObject(tracked)
  await expect(prepareDataDir(cloned)).rejects.toMatchObject(tracked)
  await expect(prepareDataDir(dataDir)).rejects.toMatchObject(tracked)
})

test("a data directory that came as a submodule is refused", async () => {
  const { root, dataDir } = createPlace()
  git(dataDir, "init", "-q", ".")
  git(dataDir, "add", "store.db")
  git(dataDir, "commit", "-qm", "first")
  await expect(prepareDataDir(dataDir)).rejects.toMatchObject(tracked)
  expect(existsSync(root)).toBe(true)
})

test("a data directory that git tracks is refused, even if it was made a repository that tracks nothing", async () => {
  const { project, dataDir } = createPlace()
  git(project, "add", "-f", ".adjutant")
  git(dataDir, "init", "-q", ".")
  await expect(prepareDataDir(dataDir)).rejects.toMatchObject(tracked)
})

test("a data directory that git does not track is used, and git starts no program of the repository", async () => {
  const { project, dataDir } = createPlace()
  git(project, "config", "core.fsmonitor", "touch PWNED; false")
  expect(await prepareDataDir(dataDir)).toBe(dataDir)
  expect(existsSync(join(project, "PWNED"))).toBe(false)
  expect(existsSync(join(dataDir, "PWNED"))).toBe(false)
})

test("a data directory is refused if git cannot say what it tracks", async () => {
  const { project, dataDir } = createPlace()
  writeFileSync(join(project, ".git/index"), "damaged")
  await expect(prepareDataDir(dataDir)).rejects.toThrow("git does not say whether it came with the repository")
})

test.runIf(process.getuid?.() === 0)("a data directory with files of another user is refused", async () => {
  const { dataDir } = createPlace()
  chownSync(join(dataDir, "store.db"), 65_534, 65_534)
  await expect(prepareDataDir(dataDir)).rejects.toThrow("store.db in it belongs to another user")
})
