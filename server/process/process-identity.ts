import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { startTicksOf } from "../../domain/engine/process-stat.ts"
import { isText } from "./has-fields.ts"

/** Identifies one process, and not a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number
  /** Opaque: equal only for the same process. */
  readonly start: string
}

/** Returns the identity of the running process with an id; undefined if there is none. A zombie counts as dead. */
export const identifyProcess = (pid: number): ProcessIdentity | undefined => {
  const start = process.platform === "linux" ? startOnLinux(pid) : startElsewhere(pid)
  return start === undefined ? undefined : { pid, start }
}

export const identifyThisProcess = (): ProcessIdentity => {
  const identity = identifyProcess(process.pid)
  if (identity === undefined)
    throw new Error(
      "the start time of this process cannot be read: check that /proc is mounted, or that ps is installed",
    )
  return identity
}

export const isAlive = ({ pid, start }: ProcessIdentity): boolean => identifyProcess(pid)?.start === start

/** Sends a signal to a process, never to a later one with the same id. Returns false if the process has ended. */
export const signalProcess = (identity: ProcessIdentity, signal: NodeJS.Signals): boolean => {
  if (!isAlive(identity)) return false
  try {
    return process.kill(identity.pid, signal)
  } catch {
    return false
  }
}

/** The checks for the type guard of a type that extends `ProcessIdentity`. */
export const identityChecks = {
  pid: (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0,
  start: isText,
}

/**
 * Returns whether a process of this machine, by its name, was started since the machine was. Any other one may run on another machine that has the same name:
 * it is not looked up here.
 */
export const isOfThisBoot = ({ start }: ProcessIdentity): boolean =>
  process.platform !== "linux" || start.startsWith(`${bootId()}:`)

// Clock ticks since boot can repeat after a reboot; the boot id distinguishes them.
const startOnLinux = (pid: number): string | undefined => {
  try {
    const ticks = startTicksOf(readFileSync(`/proc/${pid}/stat`, "utf8"))
    return ticks === undefined ? undefined : `${bootId()}:${ticks}`
  } catch {
    return undefined
  }
}

let knownBootId: string | undefined
const bootId = (): string => {
  knownBootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  return knownBootId
}

const startElsewhere = (pid: number): string | undefined => {
  try {
    const line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: process.env["PATH"] ?? "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" },
    }).trim()
    const [state = "", ...start] = line.split(/\s+/)
    return line === "" || state.startsWith("Z") ? undefined : start.join(" ")
  } catch {
    return undefined
  }
}
