import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { stringify } from "yaml"
import { defaultDataDir } from "../../../config/data-dir/state-folder.ts"
import { endServicesIn } from "../../helpers/end-services.ts"

export const launcher = path.resolve(import.meta.dirname, "../../../bin/adjutant.js")

/** Returns an environment without TEMPORAL_*, model keys and settings of the developer. */
export const programEnv = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, XDG_CACHE_HOME, XDG_STATE_HOME, TMPDIR } = process.env
  // A Temporal whose service a test kills does not run for minutes.
  const settled = { TEMPORAL_CONFIG_FILE: "/nowhere/temporal.toml", ADJUTANT_SERVER_LINGER_MS: "3000" }
  return { PATH, HOME, XDG_CACHE_HOME, XDG_STATE_HOME, TMPDIR, ...settled }
}

/** Returns stderr without the progress lines of a long start. */
export const complaintsOf = ({ stderr }: Ended): string =>
  stderr.replace(/^(waiting for the Temporal server|bundling the workflows once) … \d+ s\n/gm, "")

/** Returns the header with the token of a data directory. */
export const localAuthorization = async (dataDir: string): Promise<{ readonly authorization: string }> => ({
  authorization: `Bearer ${await readFile(path.join(dataDir, "api-token"), "utf8")}`,
})

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Returns stderr so far. */
  stderr(): string
  /** Resolves when stderr contains the text; rejects if the process exits before. */
  stderrHas(text: string): Promise<void>
}

/** Starts the real program, or another command with these arguments. */
export const startProgram = (
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  argv: readonly string[],
  [command, ...before]: readonly [string, ...string[]] = [process.execPath, launcher],
): Started => {
  const child = spawn(command, [...before, ...argv], { ...place, stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })
  const stderrHas = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (stderr.includes(text)) resolve()
      }
      look()
      child.stderr.on("data", look)
      void ended.then((end) => reject(new Error(`ended with ${end.code} before "${text}": ${end.stderr}`)))
    })
  return { child, ended, stderr: () => stderr, stderrHas }
}

/** A project directory with written conversations, in which the real program runs. */
export interface ProjectDirectory extends AsyncDisposable {
  readonly cwd: string
  /** Its data directory, if no other is named. It can be missing. */
  readonly dataDir: string
  /** The environment of programs that are started there. */
  readonly env: NodeJS.ProcessEnv
  start(...argv: readonly string[]): Started
  run(...argv: readonly string[]): Promise<Ended>
  /** The same project with more variables in the environment. */
  startWith(more: Readonly<Record<string, string>>, ...argv: readonly string[]): Started
  runWith(more: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<Ended>
  /** Returns the header with the token that `dev` or `serve` has created in the data directory. */
  authorization(): Promise<{ readonly authorization: string }>
  remove(): Promise<void>
}

/**
 * Creates a project directory. `models` are written conversations by model name; `main` is the default one. `env` applies to every program
 * started there.
 */
export const createProject = async (
  models: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
): Promise<ProjectDirectory> => {
  const root = await realpath(await mkdtemp(path.join(os.tmpdir(), "adjutant-e2e-")))
  const cwd = path.join(root, "p")
  await mkdir(cwd)
  // A state folder of its own: nothing finds the tasks of other tests.
  const ownEnv = { ...programEnv(), XDG_STATE_HOME: path.join(root, "s"), ...env }
  const config = {
    models: Object.fromEntries(
      Object.keys(models).map((name) => [name, { provider: "scripted", script: `${name}.yaml` }]),
    ),
    prices: { scripted: { inputPerMTok: 1, outputPerMTok: 1 } },
  }
  await writeFile(path.join(cwd, "adjutant.config.yaml"), stringify(config))
  for (const [name, script] of Object.entries(models)) {
    await writeFile(path.join(cwd, `${name}.yaml`), stringify(script))
  }
  const children = new Set<ChildProcess>()
  /** Data directories that commands named. */
  const elsewhere = new Set<string>()
  const startWith = (more: Readonly<Record<string, string>>, ...argv: readonly string[]): Started => {
    const named = argv[argv.indexOf("--data-dir") + 1]
    if (argv.includes("--data-dir") && named !== undefined) elsewhere.add(path.resolve(cwd, named))
    const started = startProgram({ cwd, env: { ...ownEnv, ...more } }, argv)
    children.add(started.child)
    started.child.once("close", () => children.delete(started.child))
    return started
  }
  const dataDir = await defaultDataDir(cwd, ownEnv)
  const remove = async (): Promise<void> => {
    for (const child of children) child.kill("SIGKILL")
    for (const folder of [root, ...elsewhere]) await endServicesIn(folder)
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
  return {
    cwd,
    dataDir,
    env: ownEnv,
    start: (...argv) => startWith({}, ...argv),
    run: (...argv) => startWith({}, ...argv).ended,
    startWith,
    runWith: (more, ...argv) => startWith(more, ...argv).ended,
    authorization: () => localAuthorization(dataDir),
    remove,
    [Symbol.asyncDispose]: remove,
  }
}
