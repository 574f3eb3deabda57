import { realpath, stat } from "node:fs/promises"
import { isInWorktree } from "../../domain/workspace/worktree/worktree-place.ts"
import { dataRootOf } from "../../domain/workspace/data-directory.ts"
import { closedSystemTrees, closedToAll, isClosed } from "../../domain/workspace/closed-directories.ts"

/** Why a worker cannot run tools in a working directory. */
export interface DirectoryProblem {
  /**
   * `missing`: not on this machine; `replaced`: a link replaced it after the session started; `closed`: no session can work there, or the data
   * directory was moved to a place where tools might read it.
   */
  readonly kind: "missing" | "replaced" | "closed"
  readonly message: string
}

/** Checks a working directory by its real path from the start of the session. Returns undefined if tools can run there. */
export type DirectoryCheck = (cwd: string) => Promise<DirectoryProblem | undefined>

const closedProblem = (cwd: string): DirectoryProblem => ({
  kind: "closed",
  message: `${cwd} cannot be a working directory: ${closedToAll}`,
})

/** Identifies a directory, not its path; undefined if there is none. */
const identify = async (path: string): Promise<string | undefined> => {
  const [real, found] = await Promise.all([realpath(path), stat(path)]).catch(() => [])
  return real === undefined || found === undefined ? undefined : `${found.dev} ${found.ino} ${real}`
}

/**
 * Creates a worker's check of working directories. It repeats the check where the tools run, because the first one may be long ago and was made by
 * another process.
 */
export const createDirectoryCheck = (dataDir: string): DirectoryCheck => {
  let found: Promise<readonly string[]> | undefined
  const closedTrees = (): Promise<readonly string[]> =>
    (found ??= Promise.all([...closedSystemTrees, dataRootOf(dataDir)].map((path) => realpath(path).catch(() => path))))
  const dataAtStart = identify(dataDir)
  const isDataMoved = async (): Promise<boolean> => {
    const identity = await dataAtStart
    return identity !== undefined && (await identify(dataDir)) !== identity
  }
  const realDataDir = realpath(dataDir).catch(() => dataDir)
  return async (cwd) => {
    const [real, closed] = await Promise.all([realpath(cwd).catch(() => undefined), closedTrees()])
    // Only a run whose settings name one works there, and no client can name a directory in the data directory.
    const isWorktree = isInWorktree(await realDataDir, cwd)
    if (!isWorktree && isClosed(cwd, closed)) return closedProblem(cwd)
    if (real !== undefined && !(isWorktree && real === cwd) && isClosed(real, closed)) return closedProblem(cwd)
    if (real === undefined)
      return {
        kind: "missing",
        message: `the working directory ${cwd} does not exist on this machine; create it again`,
      }
    if (real !== cwd)
      return {
        kind: "replaced",
        message: `the working directory ${cwd} was replaced by a link to another place; start a session there instead`,
      }
    if (!(await isDataMoved())) return undefined
    return {
      kind: "closed",
      message: `tools cannot run: Adjutant's data directory ${dataDir} was moved or replaced, perhaps by a command, and no tool may read it at another place; move it back and start the worker again`,
    }
  }
}
