import { readdir, readFile } from "node:fs/promises"

/**
 * Environment variables that every process of a tool inherits. They find what left its process group, and what a worker that
 * died left behind, without a list that could be lost.
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
    // Ended meanwhile, or another user's: neither is ours.
    return false
  }
}

/** Process ids that carry the mark; empty where the system has no `/proc`. */
export const markedProcesses = async (mark: ProcessMark): Promise<readonly number[]> => {
  const names = await readdir("/proc").catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const marked = await Promise.all(pids.map((pid) => hasMark(pid, `${mark.name}=${mark.value}`)))
  return pids.filter((_, index) => marked[index]).map(Number)
}

/** Sends a signal; a process that has ended meanwhile is no error. A negative id names a process group. */
export const signalProcess = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM"))) throw error
  }
}
