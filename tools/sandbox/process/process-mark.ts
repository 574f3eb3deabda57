import { openSync, unlinkSync } from "node:fs"
import { readdir, readFile, readlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Environment variables that every process of a tool inherits. They identify processes that left their process group, and processes of a worker
 * that died, without a separate list.
 */
export const markNames = { owner: "ADJUTANT_OWNER", command: "ADJUTANT_COMMAND" } as const

export interface ProcessMark {
  readonly name: (typeof markNames)[keyof typeof markNames]
  readonly value: string
}

/** The descriptor that marks the processes of an unconfined command, high enough that scripts do not use it. */
export const markDescriptor = 241

const filePrefix = "adjutant-process-"

/** Returns the name of the file that marks the processes of a command. */
export const markFile = (marks: Readonly<Record<string, string>>): string =>
  [filePrefix, ...[markNames.owner, markNames.command].map((name) => `${encodeURIComponent(marks[name] ?? "")}.`)].join(
    "",
  )

/**
 * Opens a file that has no name any more. A process that inherits it shows it, even if it clears its environment and starts a session of its own.
 * Returns undefined where there is no temporary directory.
 */
export const openMark = (name: string): number | undefined => {
  const path = join(tmpdir(), name)
  try {
    const descriptor = openSync(path, "wx", 0o600)
    unlinkSync(path)
    return descriptor
  } catch {
    return undefined
  }
}

/** Returns whether a file marks the processes of a command, or of an owner. */
const isMarkFile = (shown: string, { name, value }: ProcessMark): boolean => {
  const [, owner, command] = /\/adjutant-process-([^/.]*)\.([^/.]*)\. \(deleted\)$/.exec(shown) ?? []
  return (name === markNames.owner ? owner : command) === encodeURIComponent(value)
}

const hasMark = async (pid: string, mark: ProcessMark): Promise<boolean> => {
  // The process may have ended, or belong to another user.
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")
  if (environment.split("\0").includes(`${mark.name}=${mark.value}`)) return true
  return isMarkFile(await readlink(`/proc/${pid}/fd/${markDescriptor}`).catch(() => ""), mark)
}

/** Returns the ids of the processes with the mark; none if the system has no `/proc`. */
export const markedProcesses = async (mark: ProcessMark): Promise<readonly number[]> => {
  const names = await readdir("/proc").catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const marked = await Promise.all(pids.map((pid) => hasMark(pid, mark)))
  return pids.filter((_, index) => marked[index]).map(Number)
}

/** Sends a signal. A negative id is a process group. Does nothing if the process has ended. */
export const signalPid = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM"))) throw error
  }
}
