import { execFile } from "node:child_process"
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createProject, type ProjectDirectory, programEnv } from "./program.ts"

const writeA = { id: "call a", name: "Write", arguments: { file_path: "a.txt", content: "a\n" } }
const models = {
  main: {
    turns: [
      { reply: { text: "May I?", tool_calls: [writeA] } },
      { reply: { text: "Which one?" } },
      { reply: { tool_calls: [{ id: "f", name: "finish", arguments: { result: "Done." } }] } },
    ],
  },
}

let project: ProjectDirectory
let elsewhere: string
beforeAll(async () => {
  project = await createProject(models)
  elsewhere = await mkdtemp(path.join(os.tmpdir(), "adjutant-elsewhere-"))
  await mkdir(path.join(elsewhere, "the work"))
  await mkdir(path.join(project.cwd, "my config"))
  for (const file of ["adjutant.config.yaml", "main.yaml"])
    await rename(path.join(project.cwd, file), path.join(project.cwd, "my config", file))
  const launcher = path.resolve(import.meta.dirname, "../../../bin/adjutant.js")
  const program = path.join(elsewhere, "adjutant")
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`)
  await chmod(program, 0o755)
})
afterAll(async () => {
  await project.remove()
  await rm(elsewhere, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

/** Runs a command as a user pastes it, in a shell that is in another directory. */
const paste = async (command: string) => {
  const { PATH, ...env } = programEnv()
  const options = { cwd: elsewhere, env: { ...env, PATH: `${elsewhere}:${PATH ?? ""}` } }
  return promisify(execFile)("sh", ["-c", `${command} --output json`], options).then(
    ({ stdout }) => ({ code: 0, document: JSON.parse(stdout) }),
    (error: { code: number; stdout: string; stderr: string }) => {
      if (error.stdout === "") throw new Error(error.stderr)
      return { code: error.code, document: JSON.parse(error.stdout) }
    },
  )
}

it("prints commands that continue the task from any directory", async () => {
  const place = ["--config", "my config/adjutant.config.yaml", "--data-dir", "my data"]
  const work = path.join(elsewhere, "the work")
  const first = await project.run("run", "--pause-on-approval", "go", ...place, "--cwd", work, "--output", "json")
  expect(first.code, first.stderr).toBe(10)
  const paused = JSON.parse(first.stdout)
  const config = path.join(project.cwd, "my config/adjutant.config.yaml")
  const dataDir = path.join(project.cwd, "my data")
  const flags = `--config '${config}' --data-dir '${dataDir}' --cwd '${work}'`
  expect(paused.resume_hint).toBe(`adjutant run -c ${paused.checkpoint_id} --approve 'call a' ${flags}`)
  expect(JSON.parse(await readFile(path.join(work, ".adjutant/session/pause.json"), "utf8"))).toEqual(paused)

  const waited = await project.run("wait", paused.task_id, ...place)
  expect(waited.stdout).toContain(`adjutant run -c ${paused.checkpoint_id} --reject-all --config '${config}'`)

  const second = await paste(paused.resume_hint)
  expect(second).toMatchObject({ code: 10, document: { pause_reason: { type: "input_required" } } })
  const hint: string = second.document.resume_hint
  expect(hint).toBe(`adjutant run -c ${second.document.checkpoint_id} "<your input>" ${flags}`)
  expect(await paste(hint.replace("<your input>", "the left one"))).toMatchObject({
    code: 0,
    document: { outcome: "completed", task_id: paused.task_id, final_message: "Done." },
  })
  expect(await readFile(path.join(work, "a.txt"), "utf8")).toBe("a\n")
})
