import { appendFile } from "node:fs/promises"
import path from "node:path"
import { afterEach, beforeEach, expect } from "vitest"
import { findService } from "../../../service/ask-service.ts"
import { testWith } from "../../helpers/needs.ts"
import { createProject, type Ended, launcher, type ProjectDirectory, startProgram } from "../cli/program.ts"
import { asStranger, copyTemporal, giveToStranger, needsStranger, works } from "./stranger.ts"

/** As in a container: a pid namespace of its own, in which the command is process 1. */
const container = ["unshare", "--fork", "--pid", "--mount-proc"] as const

const needsContainer = { name: "unshare as root", isAvailable: works(container) }

let project: ProjectDirectory
beforeEach(async () => {
  project = await createProject({ main: { turns: [{ reply: { text: "Hello." } }] } })
})
afterEach(() => project.remove())

/** Runs a command there. */
const runIn = async ([program = "", ...argv]: readonly string[], ...command: readonly string[]): Promise<Ended> => {
  const { cwd, env } = project
  return await startProgram({ cwd, env }, command, [program, ...argv, process.execPath, launcher]).ended
}

testWith([needsContainer], "a command that is process 1 ends its service before it ends", async () => {
  const { code, stdout, stderr } = await runIn(container, "run", "hi")
  expect([code, stdout], stderr).toEqual([0, "Hello.\n"])
  expect(await findService(project.dataDir)).toBeUndefined()
  expect((await project.run("service", "logs", "--lines", "1")).stdout).toBe("service stopping: nothing to do\n")
  // What it has left, another container continues.
  const again = await runIn(container, "list", "--output", "json")
  expect(JSON.parse(again.stdout).items).toMatchObject([{ status: "completed" }])
})

testWith([needsContainer], "two containers with one volume share one service", async () => {
  await project.run("service", "start")
  const { code, stdout, stderr } = await runIn(container, "run", "hi")
  expect([code, stdout], stderr).toEqual([0, "Hello.\n"])
  // No other one was started, and the last command has ended it.
  const { stdout: log } = await project.run("service", "logs")
  expect(log.match(/^service ready/gm)).toHaveLength(1)
  expect(await findService(project.dataDir)).toBeUndefined()
})

testWith([needsStranger], "a user without an entry in the system's list runs a task", async () => {
  const root = path.dirname(project.cwd)
  await copyTemporal(path.join(root, "bin"))
  await appendFile(path.join(project.cwd, "adjutant.config.yaml"), "security: { sandbox: off }\n")
  await giveToStranger(root)
  const PATH = `${path.join(root, "bin")}:${project.env["PATH"]}`
  Object.assign(project.env, {
    PATH,
    HOME: root,
    XDG_CACHE_HOME: path.join(root, "cache"),
    ADJUTANT_TRUST: "1",
    CI: "true",
  })
  const { code, stdout, stderr } = await runIn(asStranger, "run", "hi", "-t", "Read")
  expect([code, stdout], stderr).toEqual([0, "Hello.\n"])
})
