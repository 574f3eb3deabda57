import { readdir, realpath } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import type { FixedPaths } from "../../domain/workspace/protected-paths.ts"
import { directoriesBetween, isInside } from "../../domain/workspace/is-inside.ts"
import { gitReferences } from "./git-references.ts"
import { repositoryFiles } from "./protected-path.ts"
import { entryAt, type ProtectedEntry, type ScanOptions, scanProtected } from "./scan-protected.ts"

export interface ProtectionScope extends ScanOptions {
  /** Real path of the working directory. */
  readonly cwd: string
  /** Absolute paths of files that the configuration names. */
  readonly namedFiles: readonly string[]
}

const maxInnerEntries = 5_000

const unique = (entries: readonly ProtectedEntry[]): readonly ProtectedEntry[] => [
  ...new Map(entries.map((entry) => [entry.path, entry])).values(),
]

/** Returns existing files by their absolute paths, as far as they are in the working directory; directories only if `withDirectories`. */
const entriesOf = async (
  cwd: string,
  paths: readonly string[],
  withDirectories: boolean,
): Promise<readonly ProtectedEntry[]> => {
  const inside = [...new Set(paths)].filter((path) => path !== cwd && isInside(cwd, path))
  const entries = await Promise.all(inside.map((path) => entryAt(cwd, relative(cwd, path))))
  return entries.filter((entry) => entry !== undefined).filter(({ type }) => withDirectories || type !== "directory")
}

/** Returns what the configurations of git name, in and around the working directory. */
const referencesOf = async (cwd: string, scanned: readonly ProtectedEntry[]): Promise<readonly string[]> => {
  const directories = new Set(
    scanned.filter(({ role }) => role === "git-config").map(({ path }) => dirname(join(cwd, path))),
  )
  const named = await Promise.all([...directories].map((directory) => gitReferences(directory, dirname(directory))))
  return [...named.flat(), ...(await repositoryFiles(cwd))]
}

/** Returns everything that is protected in a working directory: by its name, by the configuration and by a configuration of git. */
export const findProtected = async (scope: ProtectionScope): Promise<readonly ProtectedEntry[]> => {
  const { cwd, namedFiles, hidden } = scope
  const scanned = await scanProtected(cwd, scope)
  const named = await entriesOf(cwd, namedFiles, false)
  const references = await entriesOf(cwd, await referencesOf(cwd, scanned), true)
  // The scan knows more of what it found.
  return unique([...named, ...references, ...scanned]).filter(
    ({ path }) => !hidden.some((directory) => isInside(directory, join(cwd, path))),
  )
}

/** Returns the links in protected directories, and the files in them that have other names, too. */
export const findInner = async (
  cwd: string,
  entries: readonly ProtectedEntry[],
): Promise<readonly ProtectedEntry[]> => {
  const inner: ProtectedEntry[] = []
  let left = maxInnerEntries
  const queue = entries.filter(({ type }) => type === "directory").map(({ path }) => path)
  for (let path = queue.shift(); path !== undefined && left > 0; path = queue.shift())
    for (const { name } of await readdir(join(cwd, path), { withFileTypes: true }).catch(() => [])) {
      left -= 1
      const entry = await entryAt(cwd, join(path, name))
      if (entry?.type === "directory") queue.push(entry.path)
      else if (entry?.type === "link" || (entry !== undefined && entry.links > 1)) inner.push(entry)
    }
  return inner
}

/**
 * Returns what a sandbox makes read-only: the protected files and directories, and what protected links lead to. A link itself cannot be fixed; it
 * is compared after the command.
 */
export const fixedPaths = async (cwd: string, entries: readonly ProtectedEntry[]): Promise<FixedPaths> => {
  const links = entries.filter(({ type }) => type === "link")
  const targets = await Promise.all(links.map(({ path }) => realpath(join(cwd, path)).catch(() => cwd)))
  const real = entries.filter(({ type }) => type === "file" || type === "directory")
  const all = [...real.map(({ path }) => join(cwd, path)), ...targets].filter(
    // A link to a directory around the working directory would make all of it read-only.
    (path) => path !== cwd && isInside(cwd, path),
  )
  const outermost = [...new Set(all)]
    .toSorted()
    .filter((path, _, paths) => !paths.some((other) => other !== path && isInside(other, path)))
  const pinned = [...outermost, ...links.map(({ path }) => join(cwd, path))].flatMap((path) =>
    directoriesBetween(cwd, path),
  )
  return {
    readOnly: outermost,
    pinned: [...new Set(pinned)].filter((path) => !outermost.some((other) => isInside(other, path))).toSorted(),
  }
}
