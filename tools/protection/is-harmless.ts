import { lstat, readFile, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { diskPath, pathOfBytes } from "../disk/disk-path.ts"
import { listDirectory, realPath } from "../disk/list-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { isHarmlessConfigChange, worktreesOfHarmlessConfig } from "../../domain/workspace/harmless-git-config.ts"
import { foldName, gitControlDepth } from "../../domain/workspace/protected-paths.ts"
import { isHarmlessTodo } from "../../domain/workspace/harmless-git-todo.ts"
import type { ProtectedEntry, ProtectedRole } from "./scan-protected.ts"

const maxBytes = 256 * 1024

const readSmallText = async (path: string): Promise<string | undefined> => {
  const found = await lstat(diskPath(path)).catch(() => undefined)
  if (found === undefined || !found.isFile() || found.size > maxBytes) return undefined
  return readFile(diskPath(path)).then(pathOfBytes, () => undefined)
}

const isInWorkspace = async (cwd: string, path: string): Promise<boolean> => {
  const real = await realPath(path).catch(() => undefined)
  return real !== undefined && isInside(cwd, real)
}

const isHarmlessConfig = async (cwd: string, path: string): Promise<boolean> => {
  const text = await readSmallText(path)
  const worktrees = text === undefined ? undefined : worktreesOfHarmlessConfig(text)
  if (worktrees === undefined) return false
  const places = await Promise.all(worktrees.map((worktree) => isInWorkspace(cwd, resolve(dirname(path), worktree))))
  return places.every(Boolean)
}

/** Checks whether a directory of hooks contains only the examples that git copies, which it does not run. */
const hasOnlySamples = async (path: string): Promise<boolean> => {
  const entries = await listDirectory(path).catch(() => undefined)
  return entries?.every((entry) => entry.isFile() && entry.name.endsWith(".sample")) === true
}

/** Checks whether a directory is a part of a repository that a scan finds: what it runs is protected, too. */
const isKnownGitDirectory = async (cwd: string, directory: string): Promise<boolean> => {
  const real = await realPath(directory).catch(() => undefined)
  if (real === undefined || !isInside(cwd, real)) return false
  const segments = real.slice(cwd.length + 1).split("/")
  const git = segments.findLastIndex((segment) => foldName(segment) === ".git")
  if (git < 0) return false
  const inside = segments.slice(git + 1)
  return inside.length === 0 || gitControlDepth([...inside, "config"]) === inside.length + 1
}

/** Checks the file that leads from a working tree to its git directory, or from the git directory of a working tree to another place. */
const isHarmlessPointer = async (cwd: string, path: string): Promise<boolean> => {
  const text = (await readSmallText(path))?.trim()
  if (text === undefined || text.includes("\n")) return false
  switch (foldName(basename(path))) {
    case ".git":
      return text.startsWith("gitdir: ") && isKnownGitDirectory(cwd, resolve(dirname(path), text.slice(8)))
    case "commondir":
      return isKnownGitDirectory(cwd, resolve(dirname(path), text))
    case "gitdir": {
      const target = resolve(dirname(path), text)
      const parent = await stat(diskPath(dirname(target))).catch(() => undefined)
      return foldName(basename(target)) === ".git" && (parent === undefined || isInWorkspace(cwd, dirname(target)))
    }
    default:
      return false
  }
}

/**
 * Checks whether a new protected path runs nothing, although others of its name do: the parts of a repository that git itself writes. What is not
 * understood is not harmless.
 */
export const isHarmless = async (cwd: string, { path, role, type }: ProtectedEntry): Promise<boolean> => {
  const absolute = join(cwd, path)
  switch (role) {
    case "git-config":
      return type === "file" && isHarmlessConfig(cwd, absolute)
    case "git-hooks":
      return type === "directory" && hasOnlySamples(absolute)
    case "git-pointer":
      return type === "file" && isHarmlessPointer(cwd, absolute)
    case "git-todo":
      return type === "file" && isHarmlessTodo("", (await readSmallText(absolute)) ?? "exec")
    case "other":
      return false
  }
}

/** Checks whether a file of git differs from its earlier content only in what runs nothing. */
export const isHarmlessChange = async (
  { path, role }: { readonly path: string; readonly role: ProtectedRole },
  before: Uint8Array,
): Promise<boolean> => {
  const text = await readSmallText(path)
  const earlier = Buffer.from(before).toString("utf8")
  if (text === undefined) return false
  return role === "git-todo" ? isHarmlessTodo(earlier, text) : isHarmlessConfigChange(earlier, text)
}
