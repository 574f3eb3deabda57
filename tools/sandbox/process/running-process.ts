import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync } from "node:fs"
import { Writable } from "node:stream"
import { setTimeout as delay } from "node:timers/promises"
import type { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { sandboxUnavailable } from "../../sandbox-unavailable.ts"
import type { Launch } from "../launch.ts"
import { groupEnd, killMarked, stopProcesses } from "./stop-processes.ts"
import { openMark, type ProcessMark, signalPid } from "./process-mark.ts"
import { exceededResourceText, type ExceededLimit } from "./resource-limits.ts"
import { watchResources } from "./watch-resources.ts"

export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Why a limit on resources ended it, for the model. */
  readonly exceeded?: string
}

/** A started command with everything that it started. */
export interface RunningProcess {
  readonly pid: number
  /** Settles when the command has ended, its remaining processes are gone and its output is complete. */
  readonly ended: Promise<ProcessEnd>
  /** Sends SIGTERM, and SIGKILL after the grace time. Settles when no process is left. Further calls wait for the same stop. */
  stop(): Promise<void>
}

export interface StartOptions {
  readonly launch: Launch
  readonly onOutput: (chunk: Buffer, from: "stdout" | "stderr") => void
  /** Text for its standard input, which is then closed. Without it, the process has no input. */
  readonly stdin?: string
  readonly mark: ProcessMark
  readonly graceMs: number
}

/** How long to wait for the output of an ended command that an unmarked process keeps open. */
const heldOutputMs = 500

const canNotStart = (file: string, cause: unknown): AdjutantError =>
  sandboxUnavailable(
    `the command could not be started with ${file}; check that it is installed and that the working directory exists`,
    {
      cause,
    },
  )

/** Starts a process. @throws AdjutantError `sandbox_unavailable` if the program cannot be started */
export const startProcess = async (options: StartOptions): Promise<RunningProcess> => {
  try {
    return await start(options)
  } catch (error) {
    await options.launch.cleanUp?.()
    throw error
  }
}

/** Kills a process group that exceeds its limits. Returns a function that returns what a model is told of that. */
const enforceLimits = (pid: number, { resources: limits, cgroup }: Launch, hasExited: () => boolean) => {
  if (limits === undefined) return async (): Promise<undefined> => undefined
  let exceeded: ExceededLimit | undefined
  const onExceeded = (limit: ExceededLimit): void => {
    exceeded = limit
    signalPid(-pid, "SIGKILL")
  }
  void watchResources({ pid, limits, cgroup, onExceeded }, hasExited)
  return async (): Promise<string | undefined> => {
    // The kernel may have ended the command between two checks.
    exceeded ??= await cgroup?.exceeded()
    return exceeded === undefined ? undefined : exceededResourceText(exceeded, limits)
  }
}

/** Spawns the program of a launch as the leader of a process group. */
const spawnLeader = (launch: Launch, hasInput: boolean) => {
  const markedBy = launch.markFile === undefined ? undefined : openMark(launch.markFile)
  const child = spawn(launch.file, [...launch.args], {
    cwd: launch.cwd,
    env: launch.env,
    detached: true,
    stdio: [
      ...([hasInput ? "pipe" : "ignore", "pipe", "pipe", "pipe"] as const),
      launch.filter === undefined ? (markedBy ?? "ignore") : "pipe",
      ...(launch.lifeline5 === true ? ["pipe" as const] : []),
    ],
  })
  if (markedBy !== undefined) closeSync(markedBy)
  const descriptor4 = child.stdio[4]
  if (descriptor4 instanceof Writable) descriptor4.on("error", () => {}).end(launch.filter)
  return child
}

/** The pipe whose end lets a guard kill what a command left. */
const openLifeline = (pipes: readonly unknown[], { lifeline5 }: Launch) => {
  const pipe = pipes[lifeline5 === true ? 5 : 3]
  if (pipe instanceof Writable) pipe.on("error", () => {})
  const cut = (): void => {
    if (!(pipe instanceof Writable)) return
    // The other half of it ends with the guard, for which the end of the command waits.
    if (lifeline5 === true) pipe.end()
    else pipe.destroy()
  }
  return {
    cut,
    /** A line tells the guard that nothing is left to kill. A program that was killed may leave something. */
    end({ signal }: ProcessEnd): void {
      if (lifeline5 === true && signal === null && pipe instanceof Writable && !pipe.writableEnded) pipe.end("\n")
      else cut()
    },
  }
}

const start = async (options: StartOptions): Promise<RunningProcess> => {
  const { launch, mark, graceMs, stdin } = options
  const child = spawnLeader(launch, stdin !== undefined)
  const descriptor3 = child.stdio[3]
  // A command that ends early closes its end of the pipe, which is not an error.
  if (descriptor3 instanceof Writable) descriptor3.on("error", () => {})
  const lifeline = openLifeline(child.stdio, launch)
  child.stdin?.on("error", () => {})
  const end = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }))
  })
  const closed = once(child, "close").catch(() => {})
  child.stdout?.on("data", (chunk: Buffer) => options.onOutput(chunk, "stdout"))
  child.stderr?.on("data", (chunk: Buffer) => options.onOutput(chunk, "stderr"))
  try {
    await once(child, "spawn")
  } catch (error) {
    throw canNotStart(launch.file, error)
  }
  const pid = child.pid
  if (pid === undefined) throw canNotStart(launch.file, undefined)
  if (descriptor3 instanceof Writable && launch.descriptor3.type === "arguments")
    descriptor3.end(launch.descriptor3.bytes)
  child.stdin?.end(stdin)

  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null
  const exceededLimit = enforceLimits(pid, launch, hasExited)
  let stopping: Promise<void> | undefined
  const finish = async (): Promise<ProcessEnd> => {
    const result = await end
    await stopping
    lifeline.end(result)
    if (launch.leavesNothing) await groupEnd(pid)
    else await killMarked(mark)
    await Promise.race([closed, delay(heldOutputMs, undefined, { ref: false })])
    child.stdin?.destroy()
    child.stdout?.destroy()
    child.stderr?.destroy()
    const exceeded = await exceededLimit()
    await launch.cleanUp?.()
    return exceeded === undefined ? result : { ...result, exceeded }
  }
  return {
    pid,
    ended: finish(),
    async stop() {
      stopping ??= stopProcesses(mark, graceMs, {
        ...{ pid, groupTakesSigterm: launch.groupTakesSigterm, hasExited },
        ...(launch.lifeline5 === true ? { cutLifeline: lifeline.cut } : {}),
      })
      await stopping
      if (launch.lifeline5 !== true) lifeline.cut()
      await end
    },
  }
}
