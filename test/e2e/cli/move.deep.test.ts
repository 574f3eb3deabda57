import { execFileSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { defaultDataDir } from "../../../config/data-dir/state-folder.ts"
import { complaintsOf, createProject, type Ended, type ProjectDirectory, startProgram } from "./program.ts"

const write = (file: string) => ({ id: "w", name: "Write", arguments: { file_path: file, content: "written\n" } })
const finish = { id: "f", name: "finish", arguments: { result: "Done." } }
const turns = [{ reply: { text: "May I?", tool_calls: [write("a.txt")] } }, { reply: { tool_calls: [finish] } }]
const pausing = ["run", "--pause-on-approval", "go", "--output", "json"] as const

const runIn = (cwd: string, env: NodeJS.ProcessEnv, ...argv: readonly string[]): Promise<Ended> =>
  startProgram({ cwd, env }, argv).ended

/** A project with a paused task whose directory was renamed, as `mv p moved` does. */
const createMoved = async (project: ProjectDirectory) => {
  const paused = await project.run(...pausing)
  expect(paused.code, paused.stderr).toBe(10)
  const { checkpoint_id: checkpoint, task_id: task } = JSON.parse(paused.stdout)
  const moved = path.join(path.dirname(project.cwd), "moved")
  await rename(project.cwd, moved)
  return { checkpoint: String(checkpoint), task: String(task), moved, to: await defaultDataDir(moved, project.env) }
}

describe("a project that was moved", () => {
  let project: ProjectDirectory
  let place: Awaited<ReturnType<typeof createMoved>>
  const run = (...argv: readonly string[]) => runIn(place.moved, project.env, ...argv)
  beforeAll(async () => {
    project = await createProject({ main: { turns } }, { ADJUTANT_TRUST: "1" })
    place = await createMoved(project)
  })
  afterAll(() => project.remove())

  it("finds its tasks in the data directory of its old place, and creates nothing", async () => {
    for (const argv of [
      ["run", "-c", place.checkpoint, "--approve-all"],
      ["info", place.task],
      ["log", place.task],
    ]) {
      const { code, stderr } = await run(...argv)
      expect(code).toBe(2)
      expect(stderr).toContain(`is in the data directory ${project.dataDir}, and not in ${place.to}:`)
      expect(stderr).toContain(`adjutant move ${project.dataDir}`)
    }
    expect(existsSync(place.to)).toBe(false)
    const listed = await run("list", "--all-projects", "--output", "json")
    expect(JSON.parse(listed.stdout).items).toMatchObject([
      { id: place.task, project: project.cwd, data_dir: project.dataDir },
    ])
    expect(JSON.parse((await run("list", "--output", "json")).stdout).items).toEqual([])
  })

  it("takes them over with move, which shows them and asks, and continues each when it is resumed", async () => {
    const asked = await run("move", project.cwd)
    expect(asked.code).toBe(2)
    expect(asked.stderr).toContain("tasks: 1 paused")
    expect(asked.stderr).toContain(`directories below ${project.cwd} become those below ${place.moved}`)
    expect(asked.stderr).toContain("pass --yes")
    expect(existsSync(project.dataDir)).toBe(true)

    expect((await run("move", project.cwd, "--yes")).code).toBe(0)
    expect(existsSync(project.dataDir)).toBe(false)
    expect(readdirSync(place.to)).not.toContain("api-token")
    const resumed = await run("run", "-c", place.checkpoint, "--approve-all")
    expect([resumed.code, resumed.stdout, complaintsOf(resumed)]).toEqual([0, "Done.\n", ""])
    expect(await readFile(path.join(place.moved, "a.txt"), "utf8")).toBe("written\n")
    expect((await run("move", project.cwd, "--yes")).stderr).toContain("has no tasks")
  })
})

describe("a data directory in a project", () => {
  it("is named and not opened, is taken over with move, and asks again about its programs", async () => {
    await using project = await createProject({ main: { turns } }, { ADJUTANT_TRUST: "1" })
    const hooks = { "agent:llm-before-execute": [{ command: "true" }] }
    const config = path.join(project.cwd, "adjutant.config.yaml")
    await writeFile(config, `${await readFile(config, "utf8")}${stringify({ hooks })}`)
    const paused = await project.run("--data-dir", ".adjutant", ...pausing)
    expect(paused.code, paused.stderr).toBe(10)
    const { checkpoint_id: checkpoint } = JSON.parse(paused.stdout)

    const listed = await project.run("list")
    expect(listed.stdout).toBe("No tasks.\n")
    expect(listed.stderr).toBe(
      '.adjutant contains tasks and is not used: run "adjutant move .adjutant" to take them over\n',
    )
    const moved = await project.run("move", ".adjutant", "--yes")
    expect([moved.code, moved.stderr]).toEqual([
      0,
      expect.stringContaining('hook agent:llm-before-execute: {"args":[],"command":"true"'),
    ])
    const untrusted = await project.runWith({ ADJUTANT_TRUST: "0" }, "trust")
    expect(untrusted.code, untrusted.stderr).toBe(0)
    const refused = await project.runWith({ ADJUTANT_TRUST: "0" }, "run", "-c", checkpoint, "--approve-all")
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain("the task came from another place, and its programs, servers and hooks are not")
    expect(refused.stderr).toContain('hook agent:llm-before-execute: {"args":[],"command":"true"')
    const resumed = await project.runWith({ ADJUTANT_TRUST: "0" }, "run", "-c", checkpoint, "--approve-all", "--trust")
    expect([resumed.code, resumed.stdout]).toEqual([0, "Done.\n"])
  })

  it("that is used, or would meet another one, is not moved", async () => {
    await using project = await createProject({ main: { turns } }, { ADJUTANT_TRUST: "1" })
    const dev = project.start("--data-dir", "used", "dev", "--port", "0")
    await dev.stderrHas("worker ready")
    const used = await project.run("move", "used", "--yes")
    expect([used.code, used.stderr]).toEqual([
      2,
      expect.stringMatching(/used is in use by adjutant \w+ \(process \d+\)/),
    ])
    dev.child.kill("SIGTERM")
    await dev.ended
    expect((await project.run(...pausing)).code).toBe(10)
    const met = await project.run("move", "used", "--yes")
    expect([met.code, met.stderr]).toEqual([2, expect.stringContaining("has tasks already")])
    await writeFile(path.join(project.cwd, "used", "program.sh"), "")
    expect((await project.run("move", "used", "--yes")).stderr).toContain("contains program.sh")
  })
})

it("a task that was running when its data directory was moved runs on only after it is resumed", async () => {
  const waiting = { text: "Late.", delay_ms: 600_000 }
  await using project = await createProject(
    { main: { turns: [{ reply: waiting }, ...turns] } },
    { ADJUTANT_TRUST: "1" },
  )
  const started = project.start("--data-dir", "data", "run", "go", "--label", "held")
  await started.stderrHas("").catch(() => undefined)
  const isRunning = async () => (await project.run("--data-dir", "data", "list")).stdout.includes("running")
  while (!(await isRunning())) expect(started.child.exitCode).toBeNull()
  started.child.kill("SIGKILL")
  await started.ended
  // It works on, whatever becomes of the command.
  const busy = await project.run("move", "data", "--yes")
  expect([busy.code, busy.stderr]).toEqual([2, expect.stringContaining("its service, which works on tasks")])
  await project.run("--data-dir", "data", "service", "stop", "--now")
  await writeFile(path.join(project.cwd, "main.yaml"), stringify({ turns }))
  expect((await project.run("move", "data", "--yes")).code).toBe(0)
  const dev = project.start("dev", "--port", "0")
  await dev.stderrHas("worker ready")
  const info = async () => JSON.parse((await project.run("info", "held", "--output", "json")).stdout)
  let seen = await info()
  while (seen.blocked_by.length === 0) seen = await info()
  expect(seen).toMatchObject({ status: "running", blocked_by: [{ type: "place", machines: ["moved-not-resumed"] }] })
  dev.child.kill("SIGTERM")
  await dev.ended
  await writeFile(path.join(project.cwd, "main.yaml"), stringify({ turns: [{ reply: { text: "Done." } }] }))
  const resumed = await project.run("resume", "held", "continue")
  expect([resumed.code, resumed.stdout]).toEqual([0, "Done.\n"])
  expect(resumed.stderr).toContain("was running when it was moved: it continues, and gets no message")
})

it("state survives git clean, and a clone's .adjutant is not believed", async () => {
  await using project = await createProject({ main: { turns } }, { ADJUTANT_TRUST: "1" })
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@example.org", ...args], { cwd, stdio: "ignore" })
  git(project.cwd, "init", "-q", ".")
  git(project.cwd, "add", ".")
  git(project.cwd, "commit", "-qm", "first")
  const paused = await project.run(...pausing)
  git(project.cwd, "clean", "-fdxq")
  expect(existsSync(path.join(project.cwd, ".adjutant"))).toBe(false)
  const { checkpoint_id: checkpoint } = JSON.parse(paused.stdout)
  const resumed = await project.run("run", "-c", checkpoint, "--approve-all")
  expect([resumed.code, resumed.stdout]).toEqual([0, "Done.\n"])

  await mkdir(path.join(project.cwd, ".adjutant"), { recursive: true })
  await cp(path.join(project.dataDir, "store.db"), path.join(project.cwd, ".adjutant", "store.db"))
  git(project.cwd, "add", "-f", ".adjutant/store.db")
  git(project.cwd, "commit", "-qm", "planted")
  const clone = path.join(path.dirname(project.cwd), "clone")
  git(path.dirname(clone), "clone", "-q", project.cwd, clone)
  const listed = await runIn(clone, project.env, "list")
  expect([listed.code, listed.stdout]).toEqual([0, "No tasks.\n"])
  expect(listed.stderr).toBe(".adjutant came with the repository and is not used\n")
  for (const argv of [
    ["--data-dir", ".adjutant", "list"],
    ["move", ".adjutant", "--yes"],
  ])
    expect((await runIn(clone, project.env, ...argv)).code).toBe(2)
  await rm(clone, { recursive: true })
})
