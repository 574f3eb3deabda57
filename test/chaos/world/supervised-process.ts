import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { fileURLToPath } from "node:url"

const launcher = fileURLToPath(new URL("../../../bin/adjutant.js", import.meta.url))

/** A process of the product that is started again whenever it ends, as a service manager does. */
export interface SupervisedProcess {
  readonly name: string
  /** The number of times it was started. */
  readonly starts: () => number
  signal(signal: NodeJS.Signals): void
  /** Ends the supervision and the process. */
  stop(): Promise<void>
}

export interface SupervisedCommand {
  readonly name: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Receives what the process writes to standard error. */
  readonly logFile: string
}

const restartMs = 500
const graceMs = 30_000

/** Starts an `adjutant` command and keeps it running. */
export const supervise = ({ name, args, cwd, env, logFile }: SupervisedCommand): SupervisedProcess => {
  const log = createWriteStream(logFile, { flags: "a" })
  let child: ChildProcess | undefined
  let isStopped = false
  let starts = 0
  let timer: NodeJS.Timeout | undefined
  const start = (): void => {
    if (isStopped) return
    starts += 1
    child = spawn(process.execPath, [launcher, ...args], { cwd, env, stdio: ["ignore", "ignore", "pipe"] })
    child.stderr?.pipe(log, { end: false })
    child.once("exit", () => {
      timer = setTimeout(start, restartMs)
    })
  }
  start()
  return {
    name,
    starts: () => starts,
    signal: (signal) => void child?.kill(signal),
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      if (child !== undefined && child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit")
        child.kill("SIGCONT")
        child.kill("SIGTERM")
        const force = setTimeout(() => child?.kill("SIGKILL"), graceMs)
        await exited
        clearTimeout(force)
      }
      log.end()
    },
  }
}
