import { appendFile, chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { execa } from "execa"
import { parse } from "yaml"
import { z } from "zod"
import { endServicesIn } from "../../helpers/end-services.ts"
import { programEnv } from "../cli/program.ts"
import { asStranger, copyTemporal, giveToStranger } from "../service/stranger.ts"

export const root = path.resolve(import.meta.dirname, "../../..")

const textsSchema = z.record(z.string(), z.coerce.string()).default({})
const stepSchema = z.looseObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.string().optional(),
  run: z.string().optional(),
  uses: z.string().optional(),
  with: textsSchema,
  env: textsSchema,
})
const workflowSchema = z.looseObject({
  jobs: z.record(
    z.string(),
    z.looseObject({ if: z.string().optional(), env: textsSchema, steps: z.array(stepSchema) }),
  ),
})

/** A machine of a pipeline: programs that are not Adjutant are replaced, and record how they are called. */
export interface PipelineMachine extends AsyncDisposable {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Returns the texts that were posted as comments, and the calls of other programs. */
  posted(): Promise<readonly string[]>
  bash(script: string, cwd: string, env: Readonly<Record<string, string>>): Promise<{ exitCode?: number; all: string }>
}

/** What the machines of a service share: comments, artifacts and the references of the repository. */
export interface PipelineService extends AsyncDisposable {
  readonly folder: string
}

export const createService = async (): Promise<PipelineService> => {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "adjutant-service-")))
  await mkdir(path.join(folder, "artifacts"))
  await execa("git", ["init", "--quiet", "--bare", path.join(folder, "refs.git")])
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

const unsharing = await execa("unshare", ["--uts", "true"], { reject: false }).catch(() => ({ exitCode: 1 }))

/** Gives a command a host name of its own, where this user may. */
const onHost = (name: string): readonly string[] =>
  unsharing.exitCode === 0 ? ["unshare", "--uts", "sh", "-c", `hostname ${name}; exec "$@"`, "sh"] : []

/** The API of the service, as far as pipelines call it: the list of artifacts, and references, which are created once. */
const apiOf = (service: string): string => `git="git --git-dir=${service}/refs.git"
case "$2" in
  */actions/artifacts*) [ ! -f "${service}/artifacts/\${2##*name=}.tgz" ] || echo 4711 ;;
  */git/refs) object=$(echo mark | $git hash-object -w --stdin); $git update-ref "\${4#ref=}" "$object" 0000000000000000000000000000000000000000 ;;
  */git/ref/*) $git show-ref --verify --quiet "refs/\${2##*/git/ref/}" ;;
  *) exit 1 ;;
esac`

export interface MachineOptions {
  readonly service?: string | undefined
  readonly name?: string
  /** Jobs run as another user than the one of the tests. */
  readonly isStrangers?: boolean
}

export const createMachine = async (options: MachineOptions = {}): Promise<PipelineMachine> => {
  const { service, name = "machine", isStrangers = false } = options
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "adjutant-ci-")))
  const bin = path.join(folder, "bin")
  const log = path.join(service ?? folder, "posted")
  await mkdir(bin)
  await appendFile(log, "")
  const programs = {
    adjutant: `exec ${process.execPath} ${path.join(root, "bin/adjutant.js")} "$@"`,
    npm: "exit 0",
    "apt-get": "exit 0",
    gh: `if [ "$1" = api ]; then\n${service === undefined ? "exit 1" : apiOf(service)}\nelse { echo "gh $1 $2 $3"; cat "$5"; printf '\\0'; } >> ${log}\nfi`,
    curl: `{ echo "curl"; cat note.md; printf '\\0'; } >> ${log}`,
  }
  for (const [program, script] of Object.entries(programs)) {
    await writeFile(path.join(bin, program), `#!/bin/sh\n${script}\n`)
    await chmod(path.join(bin, program), 0o755)
  }
  const temporary = path.join(folder, "temp")
  await mkdir(temporary)
  const home = isStrangers ? { HOME: folder, XDG_CACHE_HOME: path.join(folder, "cache") } : {}
  if (isStrangers) await copyTemporal(bin)
  const state = { RUNNER_TEMP: temporary, XDG_STATE_HOME: path.join(folder, "state"), ...home }
  const env = { ...programEnv(), ...state, PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}` }
  return {
    folder,
    env,
    posted: async () => (await readFile(log, "utf8")).split("\0").filter((text) => text !== ""),
    bash: async (script, cwd, more) => {
      if (isStrangers) for (const each of [folder, service ?? folder]) await giveToStranger(each)
      const user = isStrangers ? asStranger : []
      const { exitCode, all } = await execa(
        "env",
        [...onHost(name), ...user, "bash", "-eo", "pipefail", "-c", script],
        {
          cwd,
          env: { ...env, ...more },
          extendEnv: false,
          reject: false,
          all: true,
        },
      )
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
      /\b(github|steps|secrets|vars|runner|inputs)((?:\.[\w-]+)+)/g,
      (_, base: string, rest: string) => `at(${JSON.stringify([base, ...rest.slice(1).split(".")])})`,
    )
  const at = (names: readonly string[]): unknown =>
    names.reduce<unknown>((value, name) => (value as Context | undefined)?.[name], context) ?? ""
  const functions = {
    at,
    always: () => true,
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

/** Keeps or brings an artifact, as the two actions do. Other actions are left out. */
const useAction = async (
  uses: string,
  inputs: Readonly<Record<string, string>>,
  { service, machine }: { readonly service: string; readonly machine: PipelineMachine },
): Promise<void> => {
  const kept = path.join(service, "artifacts", `${inputs["name"] ?? ""}.tgz`)
  if (uses.startsWith("actions/upload-artifact@")) await cp(inputs["path"] ?? "", kept)
  if (uses.startsWith("actions/download-artifact@")) await cp(kept, path.join(machine.folder, "temp", "task.tgz"))
}

type Steps = Record<string, { outputs: Record<string, string> }>

interface Job {
  readonly machine: PipelineMachine
  readonly cwd: string
  readonly service?: string | undefined
  /** The machine is lost after this step. */
  readonly until?: string | undefined
}

const actionSchema = z.looseObject({
  inputs: z.record(z.string(), z.looseObject({ default: z.string() })),
  outputs: z.record(z.string(), z.looseObject({ value: z.string() })),
  runs: z.looseObject({ steps: z.array(stepSchema) }),
})

/** Runs the action of this repository. Returns its outputs. */
const runOwnAction = async (job: Job, given: Readonly<Record<string, string>>, context: Context) => {
  const {
    inputs: known,
    outputs,
    runs,
  } = actionSchema.parse(parse(await readFile(path.join(root, "action.yml"), "utf8")))
  const defaults = Object.fromEntries(Object.entries(known).map(([name, input]) => [name, input.default]))
  const own = { runner: context["runner"], inputs: { ...defaults, ...given } }
  const steps = await runSteps(job, runs.steps, { context: own, env: {} })
  const values = Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]))
  return filledAll(values, { ...own, steps })
}

/** Reads what a step wrote to its file: `name=value`, or `name<<end`, lines, `end`. */
const readOutputs = (text: string): Record<string, string> => {
  const found: Record<string, string> = {}
  const lines = text.split("\n")
  while (lines.length > 0) {
    const line = lines.shift() ?? ""
    const [, name, end] = /^(\w+)<<(.+)$/.exec(line) ?? []
    if (name !== undefined && end !== undefined)
      found[name] = lines
        .splice(0, lines.indexOf(end) + 1)
        .slice(0, -1)
        .join("\n")
    else if (line.includes("=")) found[line.slice(0, line.indexOf("="))] = line.slice(line.indexOf("=") + 1)
  }
  return found
}

/** Runs the steps of a job or of an action. Returns their outputs. */
const runSteps = async (
  job: Job,
  listed: readonly z.infer<typeof stepSchema>[],
  { context, env: common }: { readonly context: Context; readonly env: Readonly<Record<string, string>> },
): Promise<Steps> => {
  const { machine, cwd, service, until } = job
  const steps: Steps = {}
  const output = path.join(machine.folder, "output")
  for (const step of listed) {
    const now = { ...context, steps }
    if (step.if !== undefined && evaluate(step.if, now) !== true) continue
    const inputs = filledAll(step.with, now)
    const env = { ...filledAll(common, now), ...filledAll(step.env, now) }
    if (step.uses === "./" && step.id !== undefined) {
      const named = {
        ...machine,
        bash: (script: string, at: string, more: object) => machine.bash(script, at, { ...env, ...more }),
      }
      steps[step.id] = { outputs: await runOwnAction({ ...job, machine: named }, inputs, context) }
    }
    if (step.uses !== undefined && service !== undefined) await useAction(step.uses, inputs, { service, machine })
    if (step.run === undefined) continue
    await writeFile(output, "")
    const { exitCode, all } = await machine.bash(filled(step.run, now), cwd, { ...env, GITHUB_OUTPUT: output })
    if (exitCode !== 0)
      throw new Error(`step ${step.name ?? step.run} failed: ${all}; posted: ${(await machine.posted()).at(-1)}`)
    if (step.id !== undefined) steps[step.id] = { outputs: readOutputs(await readFile(output, "utf8")) }
    if (until !== undefined && step.id === until) break
  }
  return steps
}

/**
 * Runs the job of a workflow as GitHub Actions does; of its `uses` steps, only those about artifacts and the action of this repository. Returns the outputs of the
 * steps; undefined if the job is skipped.
 */
export const runWorkflow = async (
  machine: PipelineMachine,
  { text, context: given, ...place }: Omit<Job, "machine"> & { readonly text: unknown; readonly context: Context },
): Promise<Steps | undefined> => {
  const [job] = Object.values(workflowSchema.parse(text).jobs)
  if (job === undefined) throw new Error("the workflow has no job")
  const context = { ...given, runner: { temp: path.join(machine.folder, "temp") } }
  if (job.if !== undefined && evaluate(job.if, context) !== true) return undefined
  return await runSteps({ machine, ...place }, job.steps, { context, env: job.env })
}
