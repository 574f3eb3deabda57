import { lstat, realpath, stat } from "node:fs/promises"
import { dirname, isAbsolute, resolve } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Authority } from "../../domain/caller/authority.ts"
import { closedSystemTrees, closedToAll, isClosed } from "../../domain/workspace/closed-directories.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { realDirectories } from "../authority/real-directories.ts"

const isLink = async (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )

/** The real path of the last part of a path that is there; undefined where a link leads to nothing, which may be anywhere. */
const lastThere = async (path: string): Promise<string | undefined> => {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined) return real
  return (await isLink(path)) || dirname(path) === path ? undefined : lastThere(dirname(path))
}

const refuse = (code: "forbidden" | "invalid_argument", message: string): never => {
  throw new AdjutantError(code, message)
}

/**
 * The real path of a session's working directory, where its caller may have it. What is outside of a caller's directories is refused in the same
 * words whether it is there or not.
 * @throws AdjutantError `invalid_argument` where there is no such directory, `forbidden` where the caller, or nobody, may work
 */
export const workingDirectory = async (
  cwd: string,
  { directories, dataDir }: Pick<Authority, "directories"> & { readonly dataDir: string },
): Promise<string> => {
  if (!isAbsolute(cwd)) return refuse("invalid_argument", `the working directory ${cwd} must be an absolute path`)
  const path = resolve(cwd)
  const there = await lastThere(path)
  if (directories !== "any") {
    const allowed = await realDirectories(directories)
    if (there === undefined || !allowed.some((directory) => isInside(directory, there)))
      return refuse(
        "forbidden",
        `the working directory ${cwd} is not inside http.workspaces: choose one there, or use a token with the scope admin`,
      )
  }
  if (there !== undefined && isClosed(there, await realDirectories([...closedSystemTrees, dataDir])))
    return refuse("forbidden", `${cwd} cannot be a working directory: ${closedToAll}`)
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined) return refuse("invalid_argument", `the working directory ${cwd} does not exist`)
  if (real !== there)
    return refuse("invalid_argument", `the working directory ${cwd} was replaced meanwhile: try again`)
  return (await stat(real)).isDirectory()
    ? real
    : refuse("invalid_argument", `the working directory ${cwd} is no directory`)
}
