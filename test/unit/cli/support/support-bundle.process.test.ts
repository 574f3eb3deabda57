import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import { openStore } from "../../../../store/open-store.ts"
import { newSession } from "../../store/store-fixture.ts"
import { stubEnvironment } from "../stub-environment.ts"

let home: string
let project: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), "adjutant-home-")))
  project = path.join(home, "my project")
  mkdirSync(project)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const config = `
models:
  main: { provider: openai-compatible, model: some-model, baseUrl: "https://HOSTtext.example/v1", apiKeyEnv: MY_KEY }
agents:
  writer: { description: "DESCRIPTIONtext", prompt: "SYSTEMtext" }
limits: { usdPerDay: 12 }
`

const failing = { code: "provider_error", message: "the provider refused PROMPTtext with KEYvalue" }

const logLine = (entry: object): string => JSON.stringify({ level: 50, time: 1, ...entry })

/** A data directory with a task that failed, and a log in which texts and secrets are wherever they can be. */
const dataDirectory = async (): Promise<string> => {
  const dataDir = path.join(home, "data")
  const store = await openStore({ url: "sqlite:", dataDir })
  await store.sessions.create({ ...newSession("s1"), title: "PROMPTtext", label: "LABELtext", cwd: project })
  await store.sessions.patch("s1", {
    status: "failed",
    stopReason: "error",
    error: failing,
    finalMessage: "ANSWERtext",
  })
  await store.close()
  const stack = `Error: no file PROMPTtext\nof KEYvalue\n    at runHooks (file://${project}/activities/run-hooks.ts:57:3)\n    at ${home}/x.ts:1:2`
  const lines = [
    logLine({ msg: `task s1: the run failed: PROMPTtext KEYvalue ${home}/a.txt`, session_id: "s1" }),
    logLine({ msg: "a hook failed: PROMPTtext", err: { type: "Error", message: "no file PROMPTtext", stack } }),
    logLine({ level: 30, msg: "INFOtext" }),
    "Error: PROMPTtext",
    `    at crash (${home}/main.ts:9:9)`,
  ]
  writeFileSync(path.join(dataDir, "service.log"), `${lines.join("\n")}\n`)
  return dataDir
}

const bundle = async (args: readonly string[], options: { readonly confirms?: boolean } = {}) => {
  writeFileSync(path.join(project, "adjutant.config.yaml"), config)
  const dataDir = await dataDirectory()
  const env = {
    HOME: home,
    PATH: process.env["PATH"] ?? "",
    XDG_STATE_HOME: path.join(home, "state"),
    MY_KEY: "KEYvalue",
  }
  const stub = stubEnvironment({ cwd: project, env, ...options })
  const flags = ["--data-dir", dataDir, "--trust"]
  return { exitCode: await runCli(["support-bundle", ...args, ...flags], stub.environment), ...stub }
}

describe("adjutant support-bundle", () => {
  it("shows what it writes, without a secret, a text of a task or a path", async () => {
    const { exitCode, written } = await bundle(["--yes", "problem.tgz"])
    expect(written.stderr).toContain("Wrote ")
    expect(exitCode).toBe(0)
    const folder = path.join(home, "unpacked")
    mkdirSync(folder)
    execFileSync("tar", ["-xzf", path.join(project, "problem.tgz"), "-C", folder])
    const content = execFileSync("sh", ["-c", "cat *"], { cwd: folder, encoding: "utf8" })
    for (const shown of ["== versions.json ==", "Files: versions.json (", "health.txt", "log.json"])
      expect(written.stdout).toContain(shown)
    for (const part of ["some-model", "MY_KEY", "provider_error", "runHooks run-hooks.ts:57:3", "crash main.ts:9:9"])
      for (const text of [content, written.stdout]) expect(text).toContain(part)
    expect(content).toContain('"message": "task s1: the run failed"')
    for (const hidden of ["text.example", "PROMPTtext", "DESCRIPTIONtext", "SYSTEMtext", "LABELtext", "ANSWERtext"])
      for (const text of [content, written.stdout]) expect(text).not.toContain(hidden)
    for (const hidden of ["KEYvalue", "INFOtext", "my project", home])
      for (const text of [content, written.stdout]) expect(text).not.toContain(hidden)
  })

  it.each([
    ["nobody can be asked", {}, "Nothing was written: add --yes to write it.\n"],
    ["the person says no", { confirms: false }, "Nothing was written.\n"],
  ])("writes nothing if %s", async (_, options, said) => {
    const { exitCode, written } = await bundle(["problem.tgz"], options)
    expect(exitCode).toBe(1)
    expect(written.stdout).toContain("== health.txt ==")
    expect(written.stderr).toContain(said)
    expect(existsSync(path.join(project, "problem.tgz"))).toBe(false)
  })
})
