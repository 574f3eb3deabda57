import { execFile } from "node:child_process"
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { expect, it, onTestFinished } from "vitest"
import { parse } from "yaml"
import { z } from "zod"

const root = path.resolve(import.meta.dirname, "../../..")
const actionSchema = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string() })),
  runs: z.object({
    steps: z.array(z.object({ id: z.string().optional(), run: z.string(), env: z.record(z.string(), z.string()) })),
  }),
})
const exampleSchema = z.object({
  jobs: z.object({
    review: z.object({ steps: z.array(z.object({ uses: z.string().optional(), with: z.unknown().optional() })) }),
  }),
})

const read = async (file: string): Promise<unknown> =>
  parse(await readFile(path.join(root, file), "utf8"), { merge: true })

/** Runs the step of action.yml that starts or continues a task, with a program that prints its arguments and a document. */
const runStep = async (given: Readonly<Record<string, string>>, { code = 0, document = {} } = {}) => {
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-action-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const program = path.join(folder, "adjutant")
  const body = JSON.stringify(document)
  await writeFile(program, `#!/bin/bash\nprintf '%s\\n' "$@" > "${folder}/arguments"\necho '${body}'\nexit ${code}\n`)
  await chmod(program, 0o755)
  const { inputs, runs } = actionSchema.parse(await read("action.yml"))
  const step = runs.steps.find(({ id }) => id === "run")
  const inputOf = (expression: string) => {
    const name = /inputs\.([\w-]+)/.exec(expression)?.[1] ?? ""
    return given[name] ?? inputs[name]?.default ?? ""
  }
  const env = Object.fromEntries(Object.entries(step?.env ?? {}).map(([name, value]) => [name, inputOf(value)]))
  const output = path.join(folder, "output")
  const ended = await promisify(execFile)("bash", ["-eo", "pipefail", "-c", step?.run ?? ""], {
    env: { ...env, PATH: `${folder}:${process.env["PATH"]}`, RUNNER_TEMP: folder, GITHUB_OUTPUT: output },
  }).then(
    () => 0,
    (error: { readonly code?: number }) => error.code,
  )
  const file = (name: string) => readFile(path.join(folder, name), "utf8").catch(() => "")
  const args = (await file("arguments")).trim().split("\n")
  return {
    ended,
    args: args.map((arg) => arg.replace(folder, "TEMP")),
    outputs: await file("output"),
    prompt: await file("adjutant-prompt"),
  }
}

it("starts a task with the prompt as it is, whatever it contains", async () => {
  const prompt = '"; rm -rf "$HOME" `x` $(y)'
  const started = await runStep({ prompt }, { document: { outcome: "completed" } })
  expect(started.args).toEqual([
    ...["run", "--output", "json", "--data-dir", "TEMP/adjutant", "--pause-on-approval"],
    ...["--prompt-file", "TEMP/adjutant-prompt"],
  ])
  expect([started.prompt, started.ended]).toEqual([prompt, 0])
  expect(started.outputs).toContain("outcome=completed\ncheckpoint=\n")
})

it("ends without an error where a person is asked, and names the checkpoint", async () => {
  const document = { outcome: "paused", checkpoint_id: "cp_1" }
  const paused = await runStep({ prompt: "Go.", server: "https://adjutant.example" }, { code: 10, document })
  expect(paused.args).toEqual(expect.arrayContaining(["--server", "https://adjutant.example"]))
  expect([paused.ended, paused.outputs]).toEqual([0, expect.stringContaining("outcome=paused\ncheckpoint=cp_1\n")])
})

it.each([
  [{ decision: "approve" }, ["--approve-all"]],
  [{ decision: "reject", reason: "too soon" }, ["--reject-all", "--reason", "too soon"]],
  [{ prompt: "Use French." }, ["--prompt-file", "TEMP/adjutant-prompt"]],
])("continues a task by %j", async (given, expected) => {
  const { args } = await runStep({ checkpoint: "cp_1", ...given }, { document: { outcome: "completed" } })
  expect(args.slice(-expected.length - 2)).toEqual(["-c", "cp_1", ...expected])
})

it("fails with the exit code of the command", async () => {
  const failed = await runStep({ prompt: "Go." }, { code: 3 })
  expect([failed.ended, failed.outputs]).toEqual([3, expect.stringContaining("exit-code=3")])
})

it("is used by an example with inputs that it has", async () => {
  const { inputs } = actionSchema.parse(await read("action.yml"))
  const { steps } = exampleSchema.parse(await read("examples/ci/github-action.yml")).jobs.review
  const used = z.record(z.string(), z.string()).parse(steps.find(({ uses }) => uses === "./")?.with)
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(used)))
})
