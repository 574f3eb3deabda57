import { readFileSync } from "node:fs"
import { startTicksOf } from "../../domain/engine/process-stat.ts"

/** Only Linux is asked: elsewhere a zombie counts as running until its parent has waited for it. */
const isZombie = (pid: number): boolean => {
  if (process.platform !== "linux") return false
  try {
    return startTicksOf(readFileSync(`/proc/${pid}/stat`, "utf8")) === undefined
  } catch {
    return false
  }
}

/**
 * Returns whether a process with this id may be running on this machine. One of another user counts as running, also if the system hides it, as with the
 * option `hidepid` of /proc; a zombie does not.
 */
export const mayBeRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false
  }
  return !isZombie(pid)
}
