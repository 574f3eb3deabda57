import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { tmpdir } from "node:os"
import { setTimeout as delay } from "node:timers/promises"
import { openLog } from "./append-log.ts"
import { identifyProcess, isAlive, signalProcess, type ProcessIdentity } from "./process-identity.ts"

interface TemporalStart {
  readonly program: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** The file that gets its standard error. */
  readonly log: string
}

/** The program gets a process group of its own, so that Ctrl-C in the terminal does not reach it. Only the owner can read its files. */
const execute = 'umask 077; exec "$0" "$@"'

/**
 * Lets the server collect garbage more often than Go does by default. Measured with a hundred sessions: 25 MB less memory, a tenth more processor time of
 * the server, which takes a third of what a run takes.
 */
const frequentCollection = { GOGC: "40" }

/**
 * Starts the program, which outlives this process. Its standard error goes to the log; its standard output is dropped, because it names addresses that
 * must stay secret. Synchronous, so that the process id is recorded before anything else happens. Calls `onExit` when the process ends.
 */
export const startTemporal = ({ program, args, env, log }: TemporalStart, onExit: () => void): ProcessIdentity => {
  const stderr = openLog(log)
  try {
    const child = spawn("/bin/sh", ["-c", execute, program, ...args], {
      detached: true,
      cwd: "/",
      stdio: ["ignore", "ignore", stderr],
      env: { ...temporalEnvironment(env), ...frequentCollection },
    })
    child.on("error", onExit)
    child.on("exit", onExit)
    child.unref()
    const identity = child.pid === undefined ? undefined : identifyProcess(child.pid)
    if (identity === undefined) throw new Error(`${program} cannot be started`)
    return identity
  } finally {
    closeSync(stderr)
  }
}

/** Stops a process with SIGTERM, and with SIGKILL after the grace time, and then its guard. */
export const stopTemporal = async (
  { guard, ...identity }: ProcessIdentity & { readonly guard?: ProcessIdentity | undefined },
  graceMs: number,
): Promise<void> => {
  signalProcess(identity, "SIGTERM")
  if (!(await hasEnded(identity, graceMs))) {
    signalProcess(identity, "SIGKILL")
    await hasEnded(identity, graceMs)
  }
  if (guard !== undefined && isAlive(guard)) endGroup(guard)
}

const endGroup = ({ pid }: ProcessIdentity): void => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has just ended.
  }
}

/**
 * Returns the environment of the server, without the secrets of the user's environment. The server looks up its user; one who is not in the system's
 * list, as in many containers, needs the name and the home directory that are set here.
 */
export const temporalEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  USER: "adjutant",
  HOME: tmpdir(),
  ...Object.fromEntries(
    ["PATH", "HOME", "USER", "TMPDIR", "TZ", "LANG"].flatMap((name) =>
      env[name] === undefined ? [] : [[name, env[name]]],
    ),
  ),
})

const hasEnded = async (identity: ProcessIdentity, timeoutMs: number): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs
  while (isAlive(identity)) {
    if (performance.now() > deadline) return false
    await delay(20)
  }
  return true
}
