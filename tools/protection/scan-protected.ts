import { access, chmod, constants, lstat } from "node:fs/promises"
import { join, relative } from "node:path"
import { diskPath } from "../disk/disk-path.ts"
import { type DiskEntry, listDirectory } from "../disk/list-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import {
  foldName,
  gitControlDepth,
  isGitNames,
  isGitTodo,
  looksLikeGitDirectory,
  protectedPart,
} from "../../domain/workspace/protected-paths.ts"
import { maxProtectedSegments } from "../../domain/workspace/protected-names.ts"
import { systemCode } from "../../domain/text/error-message.ts"

/** What a protected path is to git; `other` means nothing to it. */
export type ProtectedRole = "git-config" | "git-hooks" | "git-pointer" | "git-todo" | "other"

/** A file, directory or link on the disk that is protected with all that it contains. */
export interface ProtectedEntry {
  /** Relative to the working directory. */
  readonly path: string
  readonly role: ProtectedRole
  readonly type: "file" | "directory" | "link" | "other"
}

export interface ScanOptions {
  /** Absolute directories that are not entered. */
  readonly hidden: readonly string[]
  /** Whether to open directories whose owner, the worker's user, cannot list them: a command could hide files in such a directory. */
  readonly unlock: boolean
  /** Undefined after a command: however many directories the command made, all are scanned. */
  readonly maxDirectories?: number | undefined
}

/** How many files and directories are read at a time. */
export const scanConcurrency = 16

/** A directory tree was too large to be scanned. */
export class TooManyDirectories extends Error {}

/** What is protected, and the directories that could contain more and cannot be listed. */
export interface ScannedTree {
  readonly entries: readonly ProtectedEntry[]
  readonly unlisted: readonly UnlistedDirectory[]
}

export interface UnlistedDirectory {
  /** Relative to the working directory. */
  readonly path: string
  readonly problem: string
}

const typeOf = (entry: Pick<DiskEntry, "isFile" | "isDirectory" | "isSymbolicLink">): ProtectedEntry["type"] => {
  if (entry.isFile()) return "file"
  if (entry.isDirectory()) return "directory"
  return entry.isSymbolicLink() ? "link" : "other"
}

/** Returns a path as a protected entry; undefined if there is nothing. */
export const entryAt = async (
  cwd: string,
  path: string,
  role: ProtectedRole = "other",
): Promise<ProtectedEntry | undefined> => {
  const found = await lstat(diskPath(join(cwd, path))).catch(() => undefined)
  if (found === undefined) return undefined
  return { path, role, type: typeOf(found) }
}

const gitRole = (segments: readonly string[]): ProtectedRole => {
  if (isGitTodo(segments)) return "git-todo"
  const folded = foldName(segments.at(-1) ?? "")
  if (folded === "config" || folded === "config.worktree") return "git-config"
  if (folded === "hooks") return "git-hooks"
  return folded === "commondir" || folded === "gitdir" ? "git-pointer" : "other"
}

/** Directories of a git directory that can contain protected parts. */
const gitBranches: ReadonlySet<string> = new Set(["info", "modules", "worktrees", "rebase-merge", "sequencer"])

/** Returns whether a command of this user could put files into a directory that this user cannot list. */
const mayBeWritten = async (directory: string): Promise<boolean> => {
  const found = await lstat(diskPath(directory)).catch(() => undefined)
  if (found === undefined) return false
  if (found.uid === process.getuid?.()) return true
  return access(diskPath(directory), constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** Returns a function that lists directories, and collects those that cannot be listed. */
export const createLister = (cwd: string, { unlock, maxDirectories = Infinity }: ScanOptions) => {
  let listed = 0
  const unlisted: UnlistedDirectory[] = []
  const readAgain = async (directory: string, problem: string): Promise<readonly DiskEntry[]> => {
    if (unlock && problem === "EACCES") await chmod(diskPath(directory), 0o700).catch(() => undefined)
    try {
      return await listDirectory(directory)
    } catch (error) {
      if (problem !== "EACCES" || (await mayBeWritten(directory)))
        unlisted.push({ path: relative(cwd, directory), problem: systemCode(error) ?? problem })
      return []
    }
  }
  const list = async (directory: string): Promise<readonly DiskEntry[]> => {
    listed += 1
    if (listed > maxDirectories) throw new TooManyDirectories()
    try {
      return await listDirectory(directory)
    } catch (error) {
      const code = systemCode(error) ?? "unknown error"
      // Removed or replaced meanwhile.
      return code === "ENOENT" || code === "ENOTDIR" ? [] : readAgain(directory, code)
    }
  }
  return { list, unlisted }
}

/**
 * Returns what is protected in a working directory, by its names. Links are not followed. `node_modules` is left out: the project runs the programs in it
 * anyway.
 */
export const scanProtected = async (cwd: string, options: ScanOptions): Promise<ScannedTree> => {
  const { list, unlisted } = createLister(cwd, options)
  const found: { readonly path: string; readonly role: ProtectedRole }[] = []
  const queue: string[] = [""]
  const parts = new Map<string, ReturnType<typeof protectedPart>>()

  /** Looks only at the last segments: if a directory above were protected, the scan would not have entered it. */
  const partOf = (directory: string, name: string): ReturnType<typeof protectedPart> => {
    const segments = [...directory.split("/").slice(1 - maxProtectedSegments), name]
    const key = segments.join("/")
    if (!parts.has(key)) parts.set(key, protectedPart(segments))
    return parts.get(key)
  }

  const scanGit = async (directory: string, inside: readonly string[]): Promise<void> => {
    for (const entry of await list(join(cwd, directory, ...inside))) {
      const segments = [...inside, entry.name]
      const depth = gitControlDepth(segments)
      if (depth === segments.length) {
        found.push({ path: join(directory, ...segments), role: gitRole(segments) })
        continue
      }
      if (!entry.isDirectory()) continue
      const name = foldName(entry.name)
      const mayContain = inside.length === 0 ? gitBranches.has(name) : inside.length === 1 || !isGitNames(name)
      if (mayContain) await scanGit(directory, segments)
    }
  }

  const visit = async (directory: string): Promise<void> => {
    const entries = await list(join(cwd, directory))
    if (looksLikeGitDirectory(entries.map(({ name }) => name))) await scanGit(directory, [])
    for (const entry of entries) {
      const path = join(directory, entry.name)
      const part = partOf(directory, entry.name)
      if (part?.kind === "entry") found.push({ path, role: "other" })
      else if (part !== undefined && !entry.isDirectory()) found.push({ path, role: "git-pointer" })
      else if (part !== undefined) await scanGit(path, [])
      else if (
        entry.isDirectory() &&
        entry.name !== "node_modules" &&
        !options.hidden.some((hidden) => isInside(hidden, join(cwd, path)))
      )
        queue.push(path)
    }
  }

  while (queue.length > 0) await Promise.all(queue.splice(-scanConcurrency).map(visit))
  const shown = found.filter(({ path }) => !options.hidden.some((hidden) => isInside(hidden, join(cwd, path))))
  const unique = new Map(shown.map((each) => [each.path, each]))
  const entries = await Promise.all([...unique.values()].map(({ path, role }) => entryAt(cwd, path, role)))
  return { entries: entries.filter((entry) => entry !== undefined), unlisted }
}
