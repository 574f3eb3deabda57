import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { execa } from "execa"
import { z } from "zod"
import { endServicesIn } from "../../helpers/end-services.ts"
import { programEnv } from "../cli/program.ts"

export const root = path.resolve(import.meta.dirname, "../../..")

const textsSchema = z.record(z.string(), z.coerce.string()).default({})
const stepSchema = z.looseObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.string().optional(),
  run: z.string().optional(),
  env: textsSchema,
})
export const workflowSchema = z.looseObject({
  jobs: z.looseObject({ agent: z.looseObject({ if: z.string(), env: textsSchema, steps: z.array(stepSchema) }) }),
})

/** A machine of a pipeline: programs that are not Adjutant are replaced, and record how they are called. */
export interface PipelineMachine extends AsyncDisposable {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Returns the texts that were posted as comments, and the calls of other programs. */
  posted(): Promise<readonly string[]>
  bash(script: string, cwd: string, env: Readonly<Record<string, string>>): Promise<{ exitCode?: number; all: string }>
}

export const createMachine = async (): Promise<PipelineMachine> => {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "adjutant-ci-")))
  const bin = path.join(folder, "bin")
  const log = path.join(folder, "posted")
  await mkdir(bin)
  await writeFile(log, "")
  const programs = {
    adjutant: `exec ${process.execPath} ${path.join(root, "bin/adjutant.js")} "$@"`,
    npm: "exit 0",
    "apt-get": "exit 0",
    gh: `{ echo "gh $1 $2 $3"; cat "$5"; printf '\\0'; } >> ${log}`,
    curl: `{ echo "curl"; cat note.md; printf '\\0'; } >> ${log}`,
  }
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(path.join(bin, name), `#!/bin/sh\n${script}\n`)
    await chmod(path.join(bin, name), 0o755)
  }
  const temporary = path.join(folder, "temp")
  await mkdir(temporary)
  const state = { RUNNER_TEMP: temporary, XDG_STATE_HOME: path.join(folder, "state") }
  const env = { ...programEnv(), ...state, PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}` }
  return {
    folder,
    env,
    posted: async () => (await readFile(log, "utf8")).split("\0").filter((text) => text !== ""),
    bash: async (script, cwd, more) => {
      const { exitCode, all } = await execa("bash", ["-eo", "pipefail", "-c", script], {
        cwd,
        env: { ...env, ...more },
        extendEnv: false,
        reject: false,
        all: true,
      })
      return { ...(exitCode === undefined ? {} : { exitCode }), all }
    },
    [Symbol.asyncDispose]: async () => {
      await endServicesIn(folder)
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}

type Context = Readonly<Record<string, unknown>>

/** Evaluates an expression of GitHub Actions, which is one of JavaScript here: absent values are empty. */
const evaluate = (expression: string, context: Context): unknown => {
  const text = expression
    .trim()
    .replace(
      /\b(github|steps|secrets|vars)((?:\.\w+)+)/g,
      (_, base: string, rest: string) => `at(${JSON.stringify([base, ...rest.slice(1).split(".")])})`,
    )
  const at = (names: readonly string[]): unknown =>
    names.reduce<unknown>((value, name) => (value as Context | undefined)?.[name], context) ?? ""
  const functions = {
    at,
    startsWith: (a: string, b: string) => a.startsWith(b),
    contains: (list: readonly string[], item: string) => list.includes(item),
    fromJSON: (json: string): unknown => JSON.parse(json),
  }
  // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- the expressions are those of the repository's own examples
  return new Function(...Object.keys(functions), `return (${text})`)(...Object.values(functions))
}

const filled = (text: string, context: Context): string =>
  text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => String(evaluate(expression, context)))

const filledAll = (texts: Readonly<Record<string, string>>, context: Context): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(text, context)]))

/** Runs the job of a workflow as GitHub Actions does, without its `uses` steps. Returns the outputs of the steps; undefined if the job is skipped. */
export const runWorkflow = async (
  machine: PipelineMachine,
  { text, cwd, context }: { readonly text: unknown; readonly cwd: string; readonly context: Context },
): Promise<Record<string, { outputs: Record<string, string> }> | undefined> => {
  const { agent } = workflowSchema.parse(text).jobs
  if (evaluate(agent.if, context) !== true) return undefined
  const steps: Record<string, { outputs: Record<string, string> }> = {}
  const output = path.join(machine.folder, "output")
  for (const step of agent.steps) {
    const now = { ...context, steps }
    if (step.run === undefined || (step.if !== undefined && evaluate(step.if, now) !== true)) continue
    await writeFile(output, "")
    const env = { ...filledAll(agent.env, now), ...filledAll(step.env, now), GITHUB_OUTPUT: output }
    const { exitCode, all } = await machine.bash(step.run, cwd, env)
    if (exitCode !== 0) throw new Error(`step ${step.name ?? step.run} failed: ${all}`)
    const pairs = (await readFile(output, "utf8")).split("\n").filter((line) => line.includes("="))
    if (step.id !== undefined)
      steps[step.id] = { outputs: Object.fromEntries(pairs.map((line) => line.split(/=(.*)/s).slice(0, 2))) }
  }
  return steps
}
