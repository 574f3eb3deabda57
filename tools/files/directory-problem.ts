import { realpath } from "node:fs/promises"
import { closedSystemTrees, closedToAll, isClosed } from "../../domain/workspace/closed-directories.ts"

/** Why a worker cannot run tools in a working directory. */
export interface DirectoryProblem {
  /** `missing`: not on this machine; `replaced`: a link replaced it after the session started; `closed`: no session can work there. */
  readonly kind: "missing" | "replaced" | "closed"
  readonly message: string
}

/** Checks a working directory by its real path from the start of the session. Returns undefined if tools can run there. */
export type DirectoryCheck = (cwd: string) => Promise<DirectoryProblem | undefined>

/**
 * Creates a worker's check of working directories. It repeats the check where the tools run, because the first one may be long ago and was made by
 * another process.
 */
export const createDirectoryCheck = (dataDir: string): DirectoryCheck => {
  let found: Promise<readonly string[]> | undefined
  const closedTrees = (): Promise<readonly string[]> =>
    (found ??= Promise.all([...closedSystemTrees, dataDir].map((path) => realpath(path).catch(() => path))))
  return async (cwd) => {
    const [real, closed] = await Promise.all([realpath(cwd).catch(() => undefined), closedTrees()])
    if (isClosed(cwd, closed) || (real !== undefined && isClosed(real, closed)))
      return { kind: "closed", message: `${cwd} cannot be a working directory: ${closedToAll}` }
    if (real === undefined)
      return {
        kind: "missing",
        message: `the working directory ${cwd} does not exist on this machine; create it again`,
      }
    return real === cwd
      ? undefined
      : {
          kind: "replaced",
          message: `the working directory ${cwd} was replaced by a link to another place; start a session there instead`,
        }
  }
}
