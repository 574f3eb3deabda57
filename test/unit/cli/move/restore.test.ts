import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { backupFile, type Backup } from "../../../../cli/move/backup.ts"
import { restore } from "../../../../cli/move/restore.ts"
import type { CliContext } from "../../../../cli/program/cli-context.ts"
import { openStore } from "../../../../store/open-store.ts"

let root: string
let project: string
let outside: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "adjutant-restore-")))
  project = path.join(root, "project")
  outside = path.join(root, "outside")
  for (const folder of [project, outside, path.join(project, ".git", "hooks")]) mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(outside, "kept.txt"), "kept")
  writeFileSync(path.join(project, "adjutant.config.yaml"), "{}\n")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Writes a backup as its reader finds it, whatever its writer would have done. */
const backupWith = async (directory: Partial<Backup["directories"][number]>): Promise<string> => {
  const folder = path.join(root, "backup")
  const data = path.join(folder, "data")
  mkdirSync(data, { recursive: true, mode: 0o700 })
  await (await openStore({ url: "sqlite:", dataDir: data })).close()
  const files = path.join(folder, "files", "0")
  for (const file of directory.changed ?? []) {
    if (file === ".") continue
    const at = path.join(files, path.join("/", file))
    mkdirSync(path.dirname(at), { recursive: true })
    writeFileSync(at, "planted")
  }
  const whole = { path: project, head: null, changed: [], deleted: [], ...directory }
  const backup = { data_dir: path.join(root, "before"), project, directories: [whole] }
  writeFileSync(path.join(folder, backupFile), JSON.stringify({ version: 1, ...backup }))
  const file = path.join(root, "b.tar.gz")
  execFileSync("tar", ["-czf", file, "-C", folder, "."])
  return file
}

const restoreInto = async (file: string): Promise<{ readonly problem: string; readonly dataDir: string }> => {
  const dataDir = path.join(root, "restored")
  const stream = { write: () => true }
  const context = {
    cwd: project,
    env: { HOME: root, PATH: process.env["PATH"] ?? "" },
    options: { dataDir, output: "text" },
    confirm: undefined,
    io: { stdout: stream, stderr: stream, paint: { stdout: undefined } },
  } as unknown as CliContext
  try {
    await restore(context, file)
    return { problem: "", dataDir }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), dataDir }
  }
}

describe("a backup whose files lead out of its directory", () => {
  it("is restored as far as its files are inside", async () => {
    const { problem, dataDir } = await restoreInto(await backupWith({ changed: ["docs/a.txt"] }))
    expect(problem).toBe("")
    expect(existsSync(path.join(project, "docs/a.txt"))).toBe(true)
    expect(existsSync(path.join(dataDir, "store.db"))).toBe(true)
  })

  it.each([
    ["../outside/planted.txt", "changed"],
    ["/etc/planted.txt", "changed"],
    ["link/planted.txt", "changed"],
    [".git/hooks/post-checkout", "changed"],
    ["sub/.GIT/config", "changed"],
    [".", "changed"],
    ["../outside/kept.txt", "deleted"],
    ["link/kept.txt", "deleted"],
  ] as const)("is refused, and nothing is restored: %s (%s)", async (file, kind) => {
    symlinkSync(outside, path.join(project, "link"))
    const changed = kind === "changed" ? ["inside.txt", file] : ["inside.txt"]
    const deleted = kind === "deleted" ? [file] : []
    const { problem, dataDir } = await restoreInto(await backupWith({ changed, deleted }))
    expect(problem).toContain("cannot be restored")
    expect(existsSync(path.join(outside, "planted.txt"))).toBe(false)
    expect(existsSync(path.join(outside, "kept.txt"))).toBe(true)
    expect(existsSync(path.join(project, ".git/hooks/post-checkout"))).toBe(false)
    expect(existsSync(path.join(project, "inside.txt"))).toBe(false)
    expect(existsSync(path.join(dataDir, "store.db"))).toBe(false)
  })
})
