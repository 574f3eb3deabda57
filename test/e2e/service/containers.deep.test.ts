import { appendFile, chmod, mkdir } from "node:fs/promises"
import path from "node:path"
import { afterEach, beforeEach, expect } from "vitest"
import { findService } from "../../../service/ask-service.ts"
import { testWith } from "../../helpers/needs.ts"
import { createProject, type Ended, launcher, type ProjectDirectory, startProgram } from "../cli/program.ts"
import { asStranger, asUser, copyTemporal, giveToStranger, needsStranger, strangers, works } from "./stranger.ts"

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

testWith(
  [needsStranger],
  "two users of one machine have a service each, and neither uses the other's data",
  async () => {
    const root = path.dirname(project.cwd)
    await copyTemporal(path.join(root, "bin"))
    for (const folder of [root, project.cwd, path.join(root, "bin")]) await chmod(folder, 0o755)
    const homeOf = (user: number) => path.join(root, String(user))
    const runAs = async (user: number, ...command: readonly string[]): Promise<Ended> => {
      const home = homeOf(user)
      const env = {
        ...project.env,
        ...{ PATH: `${path.join(root, "bin")}:${project.env["PATH"]}`, HOME: home, TMPDIR: home },
        ...{ XDG_STATE_HOME: path.join(home, "s"), XDG_CACHE_HOME: path.join(home, "c"), ADJUTANT_TRUST: "1" },
      }
      const [program, ...argv] = asUser(user)
      return await startProgram({ cwd: project.cwd, env }, command, [program, ...argv, process.execPath, launcher])
        .ended
    }
    const answers = async (...command: readonly string[]) => {
      const ended = await Promise.all(strangers.map((user) => runAs(user, ...command, "--output", "json")))
      return ended.map(({ stdout, stderr }) => {
        expect(stdout, stderr).not.toBe("")
        return JSON.parse(stdout)
      })
    }
    for (const user of strangers) {
      await mkdir(homeOf(user))
      await giveToStranger(homeOf(user), user)
    }
    const hello = { outcome: "completed", final_message: "Hello." }
    expect(await answers("run", "hi", "-t", "Read")).toMatchObject([hello, hello])
    const [one, two] = await answers("service", "status")
    expect(two.pid).not.toBe(one.pid)
    expect(await answers("list")).toMatchObject([{ items: [{ title: "hi" }] }, { items: [{ title: "hi" }] }])
    const theirs = await runAs(strangers[1], "list", "--data-dir", one.data_dir)
    expect([theirs.code, theirs.stdout]).toEqual([2, ""])
    expect(theirs.stderr).toContain(one.data_dir)
  },
)
