import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { setTimeout as delay } from "node:timers/promises"
import { identifyProcess, isAlive, signalProcess, type ProcessIdentity } from "./process-identity.ts"

/**
 * Starts the program with the keeper's own standard error, which is the log; what it prints on standard output names addresses that are not to be
 * known. Synchronous, so that its id can be written down at once. Calls `onExit` when the process ends.
 */
export const startTemporal = (program: string, args: readonly string[], onExit: () => void): ProcessIdentity => {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"], env: temporalEnvironment(process.env) })
  child.on("error", (error) => console.error(error.message))
  child.on("exit", onExit)
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid)
  if (identity === undefined) throw new Error(`${program} cannot be started`)
  return identity
}

/** Stops a process with SIGTERM, and with SIGKILL after the grace time. */
export const stopTemporal = async (identity: ProcessIdentity, graceMs: number): Promise<void> => {
  signalProcess(identity, "SIGTERM")
  if (await hasEnded(identity, graceMs)) return
  signalProcess(identity, "SIGKILL")
  await hasEnded(identity, graceMs)
}

/**
 * Returns the environment of the server, without any secret of the user's environment. The server asks who its user is: of one without an entry in the
 * system's list, it knows only the name and the home directory that are set here.
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
