import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** Runs the sources of the checkout. */
export const checkoutLauncher = fileURLToPath(new URL("../../bin/adjutant.js", import.meta.url))

export interface AdjutantProcess {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Default: that of the checkout. */
  readonly launcher?: string
}

export interface RunningAdjutant {
  /** Resolves when stderr has said the text; rejects when the process ends before. */
  said(text: string): Promise<void>
  readonly pid: number
  /** Exit code, null after a signal. */
  readonly ended: Promise<number | null>
  readonly stdout: () => string
  readonly stderr: () => string
  kill(signal: NodeJS.Signals): void
}

/** Starts the command line program as a process of its own, as a user would. */
export const startAdjutant = ({ args, cwd, env, launcher = checkoutLauncher }: AdjutantProcess): RunningAdjutant => {
  const child = spawn(process.execPath, [launcher, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const ended = once(child, "close").then(([code]: unknown[]) => (typeof code === "number" ? code : null))
  const { pid } = child
  if (pid === undefined) throw new Error("the program could not be started")
  return {
    pid,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (stderr.includes(text)) resolve()
        }
        child.stderr.on("data", look)
        child.on("close", () => reject(new Error(`adjutant ended before it said "${text}": ${stderr}`)))
        look()
      }),
  }
}
