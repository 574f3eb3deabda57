import { spawn } from "node:child_process"
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile, appendFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { Writable } from "node:stream"
import { endServicesIn } from "../../helpers/end-services.ts"
import { freePort } from "../../../server/exposure/choose-ports.ts"
import { defaultDataDir } from "../../../config/data-dir/state-folder.ts"
import { programEnv } from "../cli/program.ts"

const root = path.resolve(import.meta.dirname, "../../..")

/** Sources the files that it is told to, one after another in the same shell, and prints a mark after each. Ends at the first that fails. */
const script = String.raw`
set -e -o pipefail
while IFS= read -r -u 3 file; do
  . "$file" < /dev/null
  printf '\036'
done
`

const mark = "\u001E"

/** A shell in a copy of examples/notes, in which the commands of a page run one after another. */
export interface PageShell extends AsyncDisposable {
  /** Resolves with the standard output of the commands. Rejects if one of them fails, or does not end in time. */
  run(code: string): Promise<string>
}

const openProject = async () => {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "adjutant-docs-")))
  const project = path.join(folder, "project")
  const bin = path.join(folder, "bin")
  const port = await freePort(new Set())
  await cp(path.join(root, "examples/notes"), project, { recursive: true })
  await appendFile(path.join(project, "adjutant.config.yaml"), `http: { port: ${port} }\n`)
  await mkdir(bin)
  await writeFile(path.join(bin, "adjutant"), `#!/bin/sh\nexec "${process.execPath}" "${root}/bin/adjutant.js" "$@"\n`)
  await chmod(path.join(bin, "adjutant"), 0o755)
  const PATH = `${bin}:${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}`
  return { folder, project, port, env: { ...programEnv(), XDG_STATE_HOME: path.join(folder, "state"), PATH } }
}

/** Signals a process group; signal 0 only asks. Returns false if every process of the group has ended. */
const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}

/** Ends every process that the shell started: with SIGTERM, and with SIGKILL those that do not end in time. */
const endGroup = async (pid: number | undefined): Promise<void> => {
  if (pid === undefined) return
  signalGroup(pid, "SIGTERM")
  for (let waits = 0; waits < 300 && signalGroup(pid, 0); waits += 1) await delay(50)
  signalGroup(pid, "SIGKILL")
}

/** Waits until the embedded server has ended: it outlives its last user, and its files must not be removed before. */
const serverEnd = async (project: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const dataDir = await defaultDataDir(project, env)
  const record = await readFile(path.join(dataDir, "server/process.json"), "utf8").catch(() => "")
  const pid = Number(/"pid":(\d+)/.exec(record)?.[1] ?? 0)
  const isRunning = (): boolean => {
    try {
      return pid > 0 && process.kill(pid, 0)
    } catch {
      return false
    }
  }
  for (let waits = 0; waits < 400 && isRunning(); waits += 1) await delay(50)
}

/** Opens a shell. `blockTimeoutMs` bounds the time of one block of commands. */
export const openPageShell = async (blockTimeoutMs: number): Promise<PageShell> => {
  const { folder, project, port, env } = await openProject()
  const shell = spawn("bash", ["--norc", "--noprofile", "-c", script], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
  })
  let stdout = ""
  let stderr = ""
  let wake = (): void => undefined
  shell.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
    wake()
  })
  shell.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const exited = new Promise<number | null>((resolve) => shell.once("exit", (code) => resolve(code)))
  const files = shell.stdio[3] as Writable
  files.on("error", () => undefined)
  let blocks = 0
  const run = async (code: string): Promise<string> => {
    const file = path.join(folder, `block-${++blocks}.sh`)
    await writeFile(file, code.replaceAll("127.0.0.1:7420", `127.0.0.1:${port}`))
    const done = new Promise<"done">((resolve) => {
      wake = () => {
        if (stdout.includes(mark)) resolve("done")
      }
    })
    files.write(`${file}\n`)
    const late = AbortSignal.timeout(blockTimeoutMs)
    const tooLate = new Promise<"late">((resolve) => late.addEventListener("abort", () => resolve("late")))
    const ending = await Promise.race([done, exited, tooLate])
    if (ending !== "done") throw new Error(`${code}\nended with ${String(ending)}:\n${stdout}\n${stderr}`)
    const [printed = "", rest = ""] = stdout.split(mark)
    stdout = rest
    return printed
  }
  return {
    run,
    [Symbol.asyncDispose]: async () => {
      await endGroup(shell.pid)
      await endServicesIn(folder)
      await serverEnd(project, env)
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}
