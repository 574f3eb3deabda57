import { appendFile, chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
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
  uses: z.string().optional(),
  with: textsSchema,
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

export const createMachine = async ({
  service,
  name = "machine",
}: { readonly service?: string; readonly name?: string } = {}): Promise<PipelineMachine> => {
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
  const state = { RUNNER_TEMP: temporary, XDG_STATE_HOME: path.join(folder, "state") }
  const env = { ...programEnv(), ...state, PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}` }
  return {
    folder,
    env,
    posted: async () => (await readFile(log, "utf8")).split("\0").filter((text) => text !== ""),
    bash: async (script, cwd, more) => {
      const { exitCode, all } = await execa("env", [...onHost(name), "bash", "-eo", "pipefail", "-c", script], {
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
      /\b(github|steps|secrets|vars|runner)((?:\.\w+)+)/g,
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

/** Keeps or brings an artifact, as the two actions do. Other actions are left out. */
const useAction = async (
  uses: string,
  inputs: Readonly<Record<string, string>>,
  { service, temporary }: { readonly service: string; readonly temporary: string },
): Promise<void> => {
  const kept = path.join(service, "artifacts", `${inputs["name"] ?? ""}.tgz`)
  if (uses.startsWith("actions/upload-artifact@")) await cp(inputs["path"] ?? "", kept)
  if (uses.startsWith("actions/download-artifact@")) await cp(kept, path.join(temporary, "task.tgz"))
}

/**
 * Runs the job of a workflow as GitHub Actions does; of its `uses` steps, only those about artifacts. Returns the outputs of the steps; undefined if the job is
 * skipped. `until`: the machine is lost after this step.
 */
export const runWorkflow = async (
  machine: PipelineMachine,
  {
    text,
    cwd,
    context: given,
    service,
    until,
  }: {
    readonly text: unknown
    readonly cwd: string
    readonly context: Context
    readonly service?: string
    readonly until?: string
  },
): Promise<Record<string, { outputs: Record<string, string> }> | undefined> => {
  const { agent } = workflowSchema.parse(text).jobs
  const temporary = path.join(machine.folder, "temp")
  const context = { ...given, runner: { temp: temporary } }
  if (evaluate(agent.if, context) !== true) return undefined
  const steps: Record<string, { outputs: Record<string, string> }> = {}
  const output = path.join(machine.folder, "output")
  for (const step of agent.steps) {
    const now = { ...context, steps }
    if (step.if !== undefined && evaluate(step.if, now) !== true) continue
    if (step.uses !== undefined && service !== undefined)
      await useAction(step.uses, filledAll(step.with, now), { service, temporary })
    if (step.run === undefined) continue
    await writeFile(output, "")
    const env = { ...filledAll(agent.env, now), ...filledAll(step.env, now), GITHUB_OUTPUT: output }
    const { exitCode, all } = await machine.bash(step.run, cwd, env)
    if (exitCode !== 0)
      throw new Error(`step ${step.name ?? step.run} failed: ${all}; posted: ${(await machine.posted()).at(-1)}`)
    const pairs = (await readFile(output, "utf8")).split("\n").filter((line) => line.includes("="))
    if (step.id !== undefined)
      steps[step.id] = { outputs: Object.fromEntries(pairs.map((line) => line.split(/=(.*)/s).slice(0, 2))) }
    if (until !== undefined && step.id === until) break
  }
  return steps
}
