import { stat } from "node:fs/promises"
import { dirname, join, relative, resolve } from "node:path"
import { diskPath } from "../disk/disk-path.ts"
import type { FixedPaths } from "../../domain/workspace/protected-paths.ts"
import { foldersNamed } from "../../domain/workspace/possible-paths.ts"
import { directoriesBetween, isInside } from "../../domain/workspace/is-inside.ts"
import { gitReferences, repositoryFiles } from "./git-references.ts"
import { linkSteps } from "./link-steps.ts"
import { entryAt, type ProtectedEntry, type ScannedTree, type ScanOptions, scanProtected } from "./scan-protected.ts"

export interface ProtectionScope extends ScanOptions {
  /** Real path of the working directory. */
  readonly cwd: string
  /** Absolute paths of files that the configuration names. */
  readonly namedFiles: readonly string[]
}

const unique = (entries: readonly ProtectedEntry[]): readonly ProtectedEntry[] => [
  ...new Map(entries.map((entry) => [entry.path, entry])).values(),
]

/**
 * Returns the existing files and named folders that paths lead to, and the links on the way to them, as far as they are in the working directory; other
 * directories only if `withDirectories`.
 */
const protectedEntriesOf = async (
  cwd: string,
  paths: readonly string[],
  withDirectories: boolean,
): Promise<readonly ProtectedEntry[]> => {
  const found: ProtectedEntry[] = []
  // Most of them name nothing. One that is elsewhere can lead here.
  const existing = await Promise.all(
    [...new Set(paths)].map((path) =>
      stat(diskPath(path)).then(
        () => [path],
        () => [],
      ),
    ),
  )
  const folders = new Set(foldersNamed(paths))
  for (const named of existing.flat()) {
    const path = resolve(named)
    const { links, real } = await linkSteps(path)
    const steps = [...links, real].filter((each) => each !== cwd && isInside(cwd, each))
    const target = real !== cwd && isInside(cwd, real) ? await entryAt(cwd, relative(cwd, real)) : undefined
    if (target === undefined || (target.type === "directory" && !withDirectories && !folders.has(path))) continue
    const entries = await Promise.all(steps.map((each) => entryAt(cwd, relative(cwd, each))))
    found.push(...entries.filter((entry) => entry !== undefined))
  }
  return found
}

/** Returns what the configurations of git name, in and around the working directory. */
const referencesOf = async (cwd: string, scanned: readonly ProtectedEntry[]): Promise<readonly string[]> => {
  const directories = new Set(
    scanned.filter(({ role }) => role === "git-config").map(({ path }) => dirname(join(cwd, path))),
  )
  const named = await Promise.all([...directories].map((directory) => gitReferences(directory, dirname(directory))))
  return [...named.flat(), ...(await repositoryFiles(cwd))]
}

export interface ProtectedTree extends ScannedTree {
  /** Paths of the entries that only the configuration of Adjutant protects. */
  readonly named: ReadonlySet<string>
}

/** Returns everything that is protected in a working directory: by its name, by the configuration and by a configuration of git. */
export const findProtected = async (scope: ProtectionScope): Promise<ProtectedTree> => {
  const { cwd, namedFiles, hidden } = scope
  const scanned = await scanProtected(cwd, scope)
  const named = await protectedEntriesOf(cwd, namedFiles, false)
  const references = await protectedEntriesOf(cwd, await referencesOf(cwd, scanned.entries), true)
  // The scan knows more of what it found.
  const entries = unique([...named, ...references, ...scanned.entries]).filter(
    ({ path }) => !hidden.some((directory) => isInside(directory, join(cwd, path))),
  )
  const others = new Set([...references, ...scanned.entries].map(({ path }) => path))
  return {
    entries,
    unlisted: scanned.unlisted,
    named: new Set(named.map(({ path }) => path).filter((path) => !others.has(path))),
  }
}

/**
 * Returns what a sandbox makes read-only: the protected files and directories, where links lead included. A link itself cannot be fixed; it is compared
 * after the command.
 */
export const fixedPaths = (cwd: string, entries: readonly ProtectedEntry[]): FixedPaths => {
  const links = entries.filter(({ type }) => type === "link")
  // Git writes its own steps while it continues.
  const real = entries.filter(({ type, role }) => (type === "file" || type === "directory") && role !== "git-todo")
  const outermost = [...new Set(real.map(({ path }) => join(cwd, path)))]
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
