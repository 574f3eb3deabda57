import { readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { mayBeRunning } from "../engine/workers/may-be-running.ts"
import { identifyProcess, type ProcessIdentity } from "../server/process/process-identity.ts"

/** Identifies what process ids belong to: processes of two containers may have the same id, and only those of one namespace can be compared. */
export const machineOf = (): string => {
  if (process.platform !== "linux") return hostname()
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return hostname()
  }
}

/** Returns whether the process has ended. One that the system does not show, but that runs, counts as the worker. */
export const hasDied = ({ pid, start }: ProcessIdentity): boolean => {
  const shown = identifyProcess(pid)
  return shown === undefined ? !mayBeRunning(pid) : shown.start !== start
}
