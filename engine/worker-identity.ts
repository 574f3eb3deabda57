import { randomUUID } from "node:crypto"
import { hostname } from "node:os"

/** Returns a name for a worker of this process that no other worker has ever had: `pid@host/random`. */
export const newWorkerIdentity = (): string => `${process.pid}@${hostname()}/${randomUUID().slice(0, 8)}`

/**
 * Returns whether the worker with this identity may be alive. A process of this machine can be checked, also by the SDK's default identity `pid@host`
 * that earlier versions used; any other counts as alive.
 */
export const mayBeAlive = (identity: string): boolean => {
  const [, pid, host] = /^(\d+)@([^/]+)(?:\/.*)?$/.exec(identity) ?? []
  if (pid === undefined || host !== hostname()) return true
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
