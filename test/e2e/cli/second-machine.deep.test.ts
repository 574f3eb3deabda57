import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdir, readFile, rename, rm } from "node:fs/promises"
import path from "node:path"
import { expect, it } from "vitest"
import { z } from "zod"
import { eventually } from "../../helpers/eventually.ts"
import { complaintsOf, createProject, type ProjectDirectory, startProgram } from "./program.ts"

const call = (name: string, args: object) => ({ reply: { tool_calls: [{ name, arguments: args }] } })
const deploy = call("Write", { file_path: "prod.log", content: "deployed\n" })
const turns = [
  call("Write", { file_path: "plan.txt", content: "the plan\n" }),
  deploy,
  call("finish", { result: "Done." }),
]

const pendingSchema = z.looseObject({ run_id: z.string(), pending: z.array(z.looseObject({ id: z.string() })) })
const open = () => createProject({ main: { turns } }, { ADJUTANT_TRUST: "1" })
const manifestIn = (cwd: string) => path.join(cwd, ".adjutant", "session", "pause.json")

/** Runs a task in a named data directory up to its second pause, on a machine with this name. */
const pause = async (project: ProjectDirectory, data: string) => {
  const on = { ADJUTANT_MACHINE: "first" }
  const first = await project.runWith(on, "--data-dir", data, "run", "--pause-on-approval", "go", "--output", "json")
  expect(first.code, first.stderr).toBe(10)
  const { task_id: task } = JSON.parse(first.stdout)
  const argv = ["--data-dir", data, "resume", String(task), "--approve-all", "--output", "json"]
  const second = await project.runWith(on, ...argv)
  expect(second.code, second.stderr).toBe(10)
  const { checkpoint_id: checkpoint } = JSON.parse(second.stdout)
  return { task: String(task), checkpoint: String(checkpoint) }
}

it("continues a task of a data directory on a machine with another name, and says what is not as it was", async () => {
  await using project = await open()
  const { task, checkpoint } = await pause(project, ".adjutant")
  const kept = path.join(path.dirname(project.cwd), "task.tar")
  execFileSync("tar", ["--exclude", ".adjutant/server", "-cf", kept, ".adjutant"], { cwd: project.cwd })
  const before = `${project.cwd}-before`
  await rename(project.cwd, before)
  await mkdir(project.cwd)
  for (const name of ["adjutant.config.yaml", "main.yaml"])
    await cp(path.join(before, name), path.join(project.cwd, name))
  execFileSync("tar", ["-xf", kept], { cwd: project.cwd })

  const argv = ["--data-dir", ".adjutant", "run", "-c", checkpoint, "--approve-all"] as const
  const resumed = await project.runWith({ ADJUTANT_MACHINE: "second" }, ...argv)
  expect([resumed.code, resumed.stdout]).toEqual([0, "Done.\n"])
  expect(complaintsOf(resumed).split("\n")).toEqual([
    `warning: task ${task} is taken over: ${project.cwd} is another copy of the directory in which it began`,
    `warning: ${project.cwd}/plan.txt, which task ${task} wrote, is missing`,
    "",
  ])
  expect(await readFile(path.join(project.cwd, "prod.log"), "utf8")).toBe("deployed\n")
  expect((await project.run("--data-dir", ".adjutant", "audit")).stdout).toContain("take-over")
})

it("keeps the decision if the directory of the task is gone, and continues where --cwd says that it is", async () => {
  await using project = await open()
  const data = path.join(path.dirname(project.cwd), "data")
  const { task, checkpoint } = await pause(project, data)
  const moved = path.join(path.dirname(project.cwd), "moved")
  await cp(project.cwd, moved, { recursive: true })
  await rm(project.cwd, { recursive: true })
  const run = (...argv: readonly string[]) =>
    startProgram({ cwd: moved, env: project.env }, ["--data-dir", data, ...argv]).ended
  for (const argv of [
    ["run", "-c", checkpoint, "--approve-all"],
    ["resume", task, "--reject-all"],
    ["fork", task, "--at-step", "1"],
    ["send", task, "How far are you?"],
  ]) {
    const refused = await run(...argv)
    expect([refused.code, complaintsOf(refused)], argv.join(" ")).toEqual([
      2,
      expect.stringContaining(`task ${task} works in ${project.cwd}, which does not exist here`),
    ])
  }
  expect((await run("run", "-c", checkpoint, "--approve-all")).stderr).toContain(`--cwd ${moved}`)
  expect((await run("info", checkpoint)).stdout).toContain("paused")

  const resumed = await run("run", "-c", checkpoint, "--approve-all", "--cwd", ".")
  expect([resumed.code, resumed.stdout, complaintsOf(resumed)]).toEqual([
    0,
    "Done.\n",
    `warning: task ${task} is taken over: ${moved} is another copy of the directory in which it began\n`,
  ])
  expect(await readFile(path.join(moved, "prod.log"), "utf8")).toBe("deployed\n")
  expect(existsSync(project.cwd)).toBe(false)
  expect(existsSync(manifestIn(moved))).toBe(false)
})

it("removes the manifest of a pause when it ends, by whatever way, and keeps that of another task", async () => {
  await using project = await open()
  const paused = async () =>
    JSON.parse((await project.run("run", "--pause-on-approval", "go", "--output", "json")).stdout)
  const first = await paused()
  expect(existsSync(manifestIn(project.cwd))).toBe(true)
  expect((await project.run("cancel", first.task_id)).code).toBe(0)
  expect(existsSync(manifestIn(project.cwd))).toBe(false)

  const [second, third] = [await paused(), await paused()]
  expect((await project.run("cancel", second.task_id)).code).toBe(0)
  expect(JSON.parse(await readFile(manifestIn(project.cwd), "utf8"))).toMatchObject({ task_id: third.task_id })
  const dev = project.start("dev", "--port", "0")
  await dev.stderrHas("listening on")
  const url = /listening on (\S+)/.exec(dev.stderr())?.[1] ?? ""
  const tools = `${url}/v1/sessions/${third.task_id}/tools`
  const headers = { ...(await project.authorization()), "content-type": "application/json" }
  const { run_id: runId, pending } = pendingSchema.parse(await (await fetch(`${tools}/pending`, { headers })).json())
  const decisions = Object.fromEntries(pending.map(({ id }) => [id, { action: "accept" }]))
  const body = JSON.stringify({ run_id: runId, decisions })
  const decided = await fetch(`${tools}/decisions`, { method: "POST", headers, body })
  expect(decided.status).toBe(200)
  await eventually(() => !existsSync(manifestIn(project.cwd)))
  dev.child.kill("SIGTERM")
  await dev.ended
})

it("creates nothing where it looks for a delivery", async () => {
  await using project = await open()
  for (const command of ["retry", "dismiss"]) {
    const { code, stderr } = await project.run(command, "dlv_unknown")
    expect([code, stderr]).toEqual([2, expect.stringContaining(`there is no session store ${project.dataDir}`)])
  }
  expect(existsSync(project.dataDir)).toBe(false)
})
