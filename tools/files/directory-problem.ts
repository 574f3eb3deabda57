import { realpath } from "node:fs/promises"
import { closedSystemTrees, closedToAll, isClosed } from "../../domain/workspace/closed-directories.ts"

/** Why a worker runs no tools in a working directory. */
export interface DirectoryProblem {
  /** `missing`: not on this machine; `replaced`: a link leads elsewhere since the session started; `closed`: nobody works there. */
  readonly kind: "missing" | "replaced" | "closed"
  readonly message: string
}

/** Looks at a working directory, by the real path that was found when the session started; undefined where tools may run there. */
export type DirectoryCheck = (cwd: string) => Promise<DirectoryProblem | undefined>

/**
 * Makes the check of a worker: it looks at the working directory of a session again, where its tools run, since the check before its start may be
 * long ago and was made by another process.
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
      return { kind: "missing", message: `the working directory ${cwd} does not exist on this machine: make it again` }
    return real === cwd
      ? undefined
      : {
          kind: "replaced",
          message: `the working directory ${cwd} was replaced by a link to another place: start a session there instead`,
        }
  }
}
