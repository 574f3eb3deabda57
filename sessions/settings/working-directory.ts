import { lstat, readdir, realpath, stat } from "node:fs/promises"
import { dirname, isAbsolute, relative, resolve } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Authority } from "../../domain/caller/authority.ts"
import { closedSystemTrees, closedToAll, isClosed } from "../../domain/workspace/closed-directories.ts"
import { dataRootOf } from "../../domain/workspace/data-directory.ts"
import { directoriesBetween, isInside } from "../../domain/workspace/is-inside.ts"
import { looksLikeGitDirectory, protectedSegments } from "../../domain/workspace/protected-paths.ts"
import { realDirectories } from "../authority/real-directories.ts"

const isLink = async (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )

/** Returns the real path of the nearest ancestor that exists; undefined for a broken link, whose target may be anywhere. */
const nearestExisting = async (path: string): Promise<string | undefined> => {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined) return real
  return (await isLink(path)) || dirname(path) === path ? undefined : nearestExisting(dirname(path))
}

const refuse = (code: "forbidden" | "invalid_argument", message: string): never => {
  throw new AdjutantError(code, message)
}

const namesIn = (directory: string): Promise<readonly string[]> => readdir(directory).catch(() => [])

/** Returns the directory from which names are judged: the caller's own, else the repository, else the whole machine. */
const rootOf = async (real: string, allowed: readonly string[]): Promise<string> => {
  const own = allowed
    .filter((directory) => isInside(directory, real))
    .toSorted((left, right) => left.length - right.length)[0]
  if (own !== undefined) return own
  for (let directory = real; directory !== dirname(directory); directory = dirname(directory))
    if ((await namesIn(directory)).includes(".git")) return directory
  return "/"
}

/**
 * Returns the protected directory in which a directory is, or that it is itself: files that are written there are run or obeyed by programs outside,
 * whatever their names below the working directory.
 */
const protectedAbove = async (real: string, allowed: readonly string[]): Promise<string | undefined> => {
  const root = await rootOf(real, allowed)
  const named = protectedSegments(relative(root, real).split("/"))
  if (named !== undefined) return resolve(root, named.join("/"))
  for (const directory of [...directoriesBetween("/", real), real])
    if (looksLikeGitDirectory(await namesIn(directory))) return directory
  return undefined
}

/**
 * Returns the real path of a session's working directory, if its caller may use it. A path outside the caller's directories gets the same refusal
 * whether or not it exists.
 * @throws AdjutantError `invalid_argument` if the directory does not exist, `forbidden` if the caller, or any caller, may not use it
 */
export const workingDirectory = async (
  cwd: string,
  { directories, dataDir }: Pick<Authority, "directories"> & { readonly dataDir: string },
): Promise<string> => {
  if (!isAbsolute(cwd)) return refuse("invalid_argument", `the working directory ${cwd} must be an absolute path`)
  const path = resolve(cwd)
  const existing = await nearestExisting(path)
  const allowed = directories === "any" ? [] : await realDirectories(directories)
  if (directories !== "any") {
    if (existing === undefined || !allowed.some((directory) => isInside(directory, existing)))
      return refuse(
        "forbidden",
        `the working directory ${cwd} is not inside http.workspaces: choose one inside, or use a token with the scope admin`,
      )
  }
  if (existing !== undefined && isClosed(existing, await realDirectories([...closedSystemTrees, dataRootOf(dataDir)])))
    return refuse("forbidden", `${cwd} cannot be a working directory: ${closedToAll}`)
  const closed = existing === undefined ? undefined : await protectedAbove(existing, allowed)
  if (closed !== undefined)
    return refuse(
      "forbidden",
      `${cwd} cannot be a working directory: ${closed} is protected, since programs run or obey what it contains; use the directory above it`,
    )
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined) return refuse("invalid_argument", `the working directory ${cwd} does not exist`)
  if (real !== existing)
    return refuse("invalid_argument", `the working directory ${cwd} was replaced in the meantime: try again`)
  return (await stat(real)).isDirectory()
    ? real
    : refuse("invalid_argument", `the working directory ${cwd} is not a directory`)
}
