import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { findService } from "../../../service/ask-service.ts"
import { serviceFiles } from "../../../service/service-files.ts"
import { testWith } from "../../helpers/needs.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"
import { mountSmall, needsMount } from "./mount-small.ts"

let project: ProjectDirectory
let folder: string
beforeEach(async () => {
  project = await createProject({ main: { turns: [{ reply: { text: "Hello." } }] } })
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "adjutant-places-")))
})
afterEach(async () => {
  await project.remove()
  await rm(folder, { recursive: true, force: true })
})

const endService = async (dataDir: string): Promise<void> => {
  const found = await findService(dataDir)
  if (found !== undefined) process.kill(found.status.pid, "SIGKILL")
}

/** Starts a detached run with a data directory, waits for it, and returns what it ended with. */
const runAt = async (dataDir: string): Promise<unknown> => {
  const place = ["--data-dir", dataDir, "--output", "json"]
  const started = await project.run("run", "hi", "--detach", ...place)
  expect(started.code, started.stderr).toBe(0)
  const ended = await project.run("wait", JSON.parse(started.stdout).task_id, ...place)
  return JSON.parse(ended.stdout)
}

const done = { outcome: "completed", final_message: "Hello." }

describe("a detached run", () => {
  it("works in a data directory whose path has 200 characters", async () => {
    const dataDir = path.join(folder, "d".repeat(199 - folder.length))
    expect(dataDir).toHaveLength(200)
    expect(await runAt(dataDir)).toMatchObject(done)
    await endService(dataDir)
  })

  it("ignores what a dead process, or one of another boot, has left", async () => {
    const dataDir = path.join(folder, "data")
    const files = serviceFiles(dataDir)
    await mkdir(files.directory, { recursive: true, mode: 0o700 })
    await chmod(dataDir, 0o700)
    await writeFile(files.lock, "")
    await writeFile(files.startLock, "")
    // A process that runs, and is not the service.
    await writeFile(files.address, JSON.stringify({ socket: path.join(files.directory, "socket"), pid: process.pid }))
    await writeFile(path.join(files.directory, "socket"), "")
    expect(await runAt(dataDir)).toMatchObject(done)
    await endService(dataDir)
  })

  it("is refused where the data directory cannot be made, with its path", async () => {
    const file = path.join(folder, "file")
    await writeFile(file, "")
    const ended = await project.run("run", "hi", "--detach", "--data-dir", path.join(file, "data"))
    expect([ended.code, ended.stdout]).toEqual([2, ""])
    expect(ended.stderr).toContain(path.join(file, "data"))
  })
})

describe("a home directory", () => {
  const homeOf = (name: string) => ({ HOME: path.join(folder, name), XDG_STATE_HOME: "", XDG_CACHE_HOME: "" })

  it("that is missing is not created, and --data-dir is named", async () => {
    const refused = await project.runWith(homeOf("nowhere"), "run", "hi")
    expect([refused.code, refused.stdout]).toEqual([2, ""])
    expect(refused.stderr).toContain("--data-dir")
    expect(existsSync(path.join(folder, "nowhere"))).toBe(false)
  })

  testWith([needsMount], "that is read-only is refused, and what can be named instead of it is named", async () => {
    const home = homeOf("home")
    await mkdir(home.HOME)
    const unmount = mountSmall(home.HOME, "ro,size=1m")
    try {
      const refused = await project.runWith(home, "run", "hi")
      expect([refused.code, refused.stdout]).toEqual([2, ""])
      expect(refused.stderr).toContain("--data-dir")
      const place = ["--data-dir", path.join(folder, "data")]
      const { path: temporal } = await ensureTemporalProgram({ env: process.env })
      const env = { ...home, PATH: `${path.dirname(temporal)}:${project.env["PATH"]}` }
      const ended = await project.runWith(env, "run", "hi", ...place, "--output", "json")
      expect(JSON.parse(ended.stdout), ended.stderr).toMatchObject(done)
      await project.runWith(home, "service", "stop", "--now", ...place)
      const without = { ...home, PATH: path.dirname(process.execPath) }
      const noProgram = await project.runWith(without, "run", "hi", "--data-dir", path.join(folder, "other"))
      expect([noProgram.code, noProgram.stdout]).toEqual([2, ""])
      expect(noProgram.stderr.match(/XDG_CACHE_HOME/g), noProgram.stderr).toHaveLength(1)
    } finally {
      unmount()
    }
  })
})
