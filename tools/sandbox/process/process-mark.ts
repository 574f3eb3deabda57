import { readdir, readFile } from "node:fs/promises"

/**
 * Environment variables that every process of a tool inherits. They identify processes that left their process group, and processes of a worker
 * that died, without a separate list.
 */
export const markNames = { owner: "ADJUTANT_OWNER", command: "ADJUTANT_COMMAND" } as const

export interface ProcessMark {
  readonly name: (typeof markNames)[keyof typeof markNames]
  readonly value: string
}

const hasMark = async (pid: string, entry: string): Promise<boolean> => {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, "utf8")
    return environment.split("\0").includes(entry)
  } catch {
    // The process has ended, or belongs to another user.
    return false
  }
}

/** Returns the ids of the processes with the mark; none if the system has no `/proc`. */
export const markedProcesses = async (mark: ProcessMark): Promise<readonly number[]> => {
  const names = await readdir("/proc").catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const marked = await Promise.all(pids.map((pid) => hasMark(pid, `${mark.name}=${mark.value}`)))
  return pids.filter((_, index) => marked[index]).map(Number)
}

/** Sends a signal. A negative id is a process group. Does nothing if the process has ended. */
export const signalProcess = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM"))) throw error
  }
}
