import { execFile, execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { packageRoot } from "../../../../config/package-root.ts"
import { describeWith } from "../../../helpers/needs.ts"

const isInstalled = (program: string): boolean => {
  try {
    execFileSync("/bin/bash", ["-c", `command -v ${program}`], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

let root: string
let cwd: string
beforeAll(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "adjutant-try-")))
  cwd = path.join(root, "project")
  await mkdir(cwd)
  await writeFile(path.join(cwd, "note.txt"), "hello\n")
  await mkdir(path.join(root, ".ssh"))
  await writeFile(path.join(root, ".ssh", "id"), "a key\n")
})
afterAll(() => rm(root, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const sandbox = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], HOME: root, XDG_CACHE_HOME: path.join(root, "cache") }
    const program = path.join(packageRoot(), "bin", "adjutant.js")
    execFile(process.execPath, [program, "sandbox", ...args], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    )
  })

const layers = () => readdir(path.join(root, "cache", "adjutant", "sandbox")).catch(() => [])

describeWith([{ name: "bubblewrap", isAvailable: isInstalled("bwrap") }], "adjutant sandbox", () => {
  it("runs a command as an agent would, and says what the sandbox has to do with its failure", async () => {
    expect(await sandbox("--", "cat", "note.txt")).toMatchObject({ code: 0, stdout: "hello\n" })
    const line = await sandbox("--", "echo made > made.txt && cat made.txt; echo $HOME")
    expect(line.stdout).toBe("made\n/tmp\n")
    expect((await stat(path.join(cwd, "made.txt"))).size).toBe(5)
    const secret = await sandbox("--", "cat", path.join(root, ".ssh", "id"))
    expect(secret).toMatchObject({ code: 1, stdout: expect.not.stringContaining("a key") })
    expect(secret.stderr).toContain("exit code 1")
    expect(await sandbox()).toMatchObject({ code: 2, stderr: expect.stringContaining("adjutant sandbox -- npm test") })
  })

  it("erases with --clean what package managers have downloaded for the project", async () => {
    const fill = 'mkdir -p "$XDG_CACHE_HOME/pip" && head -c 3000000 /dev/zero > "$XDG_CACHE_HOME/pip/wheel"'
    expect(await sandbox("--", fill)).toMatchObject({ code: 0 })
    expect(await sandbox("--", 'ls "$XDG_CACHE_HOME/pip"')).toMatchObject({ stdout: "wheel\n" })
    expect(await layers()).toHaveLength(1)
    expect(await sandbox("--clean")).toMatchObject({ code: 0, stdout: "erased 3 MiB\n" })
    expect(await layers()).toEqual([])
    expect(await sandbox("--", 'ls "$XDG_CACHE_HOME/pip"')).toMatchObject({ code: 1 })
    expect(await sandbox("--clean", "--", "true")).toMatchObject({ code: 2 })
  })
})
