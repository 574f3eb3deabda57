import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { readAddress } from "../../../service/ask-service.ts"
import { serviceFiles } from "../../../service/service-files.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createProject, type ProjectDirectory, type Started, startProgram } from "../cli/program.ts"

const sign = { tool_calls: [{ name: "Sign", arguments: {} }] }
const models = {
  main: { turns: [{ reply: { ...sign, delay_ms: 3_000 } }, { reply: { text: "Signed." } }] },
  plain: { turns: [{ reply: { text: "Hello." } }] },
}

let project: ProjectDirectory
const programs: Started[] = []
beforeEach(async () => {
  project = await createProject(models)
})
afterEach(async () => {
  for (const { child } of programs.splice(0)) child.kill("SIGKILL")
  await project.remove()
})

/** Starts a program that runs a worker, in the project. */
const startWorkerProgram = (env: Readonly<Record<string, string>> = {}, ...argv: readonly string[]): Started => {
  const file = path.join(import.meta.dirname, "worker-program.ts")
  const started = startProgram({ cwd: project.cwd, env: { ...project.env, ...env } }, argv, [process.execPath, file])
  programs.push(started)
  return started
}

const readyProgram = async (): Promise<Started> => {
  const started = startWorkerProgram()
  await started.stderrHas("program ready")
  return started
}

const status = async (): Promise<unknown> =>
  JSON.parse((await project.run("service", "status", "--output", "json")).stdout)

const run = async (...argv: readonly string[]): Promise<unknown> => {
  const ended = await project.run("run", "hi", ...argv, "--output", "json")
  expect(ended.code, ended.stderr).toBe(0)
  return JSON.parse(ended.stdout)
}

const signed = (): Promise<string> => readFile(path.join(project.cwd, "signed"), "utf8")

const end = async ({ child, ended }: Started): Promise<void> => {
  child.kill("SIGTERM")
  const { code, stderr } = await ended
  expect(code, stderr).toBe(0)
}

it("is the service of its data directory: commands use its tools, and start no other process", async () => {
  const program = await readyProgram()
  expect(await status()).toMatchObject({ pid: program.child.pid, kind: "foreground" })
  expect(await run()).toMatchObject({ outcome: "completed", final_message: "Signed." })
  expect(await signed()).toBe(`${program.child.pid}\n`)
  expect(await run("--tool", "Sign")).toMatchObject({ outcome: "completed", final_message: "Signed." })
  const mistyped = await project.run("run", "hi", "--tool", "Sing")
  expect(mistyped).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there is no tool Sing (did you mean Sign"),
  })
  expect(existsSync(serviceFiles(project.dataDir).log)).toBe(false)
  await end(program)
  expect(await status()).toMatchObject({ state: "stopped" })
  expect(await run("--model", "plain")).toMatchObject({ outcome: "completed" })
  expect(await status()).toMatchObject({ kind: "on-demand" })
})

it("takes the place of a service that a command has started, while another command waits", async () => {
  const waiting = project.start("run", "hi", "--output", "json")
  await eventually(() => readAddress(project.dataDir)?.kind === "on-demand")
  const program = await readyProgram()
  expect(readAddress(project.dataDir)).toMatchObject({ pid: program.child.pid, kind: "foreground" })
  const { code, stdout, stderr } = await waiting.ended
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ outcome: "completed" })
  expect(await status()).toMatchObject({ pid: program.child.pid })
})

it("works in addition to another program, whose end alone frees the data directory", async () => {
  const first = await readyProgram()
  const second = await readyProgram()
  expect(second.stderr()).toContain(
    `the process ${first.child.pid} is the service of ${project.dataDir}; this one works in addition to it`,
  )
  expect(await run()).toMatchObject({ outcome: "completed" })
  await end(second)
  expect(await status()).toMatchObject({ pid: first.child.pid })
  await end(first)
  expect(await status()).toMatchObject({ state: "stopped" })
})

it("frees the data directory when its program is killed, and ends when a person stops the service", async () => {
  const killed = await readyProgram()
  killed.child.kill("SIGKILL")
  await killed.ended
  const program = await readyProgram()
  expect(await status()).toMatchObject({ pid: program.child.pid })
  expect(await project.run("service", "stop")).toMatchObject({ code: 0 })
  expect(await program.ended).toMatchObject({ code: 0 })
  expect(await status()).toMatchObject({ state: "stopped" })
})

it.each([
  ["client", false],
  ["client-first", true],
])("leaves no service behind for the clients of its program (%s)", async (mode, startsOne) => {
  const program = startWorkerProgram({ CI: "true" }, mode)
  expect(await program.ended).toMatchObject({ code: 0, stdout: "completed\n" })
  expect(readAddress(project.dataDir)).toBeUndefined()
  expect(existsSync(serviceFiles(project.dataDir).log)).toBe(startsOne)
})
