import { lstat, readlink, realpath } from "node:fs/promises"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { closedSystemTrees, isClosed } from "../../domain/workspace/closed-directories.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import type { ToolContext } from "../tool.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { ToolFailure } from "../tool-failure.ts"

/** A path that was inside an allowed directory when it was checked. It contains no symbolic link and may not exist yet. */
export interface ConfinedPath {
  /** Absolute and real. */
  readonly real: string
  /** Relative to the working directory, or absolute for the file of a complete output. */
  readonly shown: string
}

/** `read` can also use the complete outputs in `spillDir`; `write` cannot change `.git`. */
export type PathUse = "read" | "search" | "write"

export type PathContext = Pick<ToolContext, "cwd" | "spillDir" | "dataDir">

const maxLinks = 40

const isMissing = (error: unknown): boolean => systemCode(error) === "ENOENT"

const linkTarget = async (path: string): Promise<string | undefined> => {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Returns the real path of the part that exists, with the rest appended. Follows dangling links, too. */
const realTarget = async (path: string, linksLeft = maxLinks): Promise<string> => {
  try {
    return await realpath(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const parent = await realTarget(dirname(path), linksLeft)
  const link = await linkTarget(join(parent, basename(path)))
  if (link === undefined) return join(parent, basename(path))
  if (linksLeft === 0) throw new ToolFailure(`${path} has too many symbolic links`)
  return realTarget(resolve(parent, link), linksLeft - 1)
}

const hasSegment = (shown: string, name: string): boolean =>
  shown.split(sep).some((segment) => segment.toLowerCase() === name)

/** Returns the absolute directories inside `cwd` that contain data of other sessions or are closed to all tools. */
export const hiddenDirectories = (context: Pick<PathContext, "cwd" | "dataDir">): readonly string[] =>
  [
    join(context.cwd, dataDirName),
    ...(context.dataDir === undefined ? [] : [resolve(context.dataDir)]),
    ...closedSystemTrees,
  ].filter((path) => isInside(context.cwd, path))

const isData = async (real: string, context: PathContext): Promise<boolean> => {
  if (hasSegment(relative(context.cwd, real), dataDirName)) return true
  return context.dataDir !== undefined && isInside(await realTarget(resolve(context.dataDir)), real)
}

/** Checks whether tools cannot see a path: it is in the data directory or in a directory that is closed to all tools. */
export const isHidden = async (real: string, context: PathContext): Promise<boolean> =>
  isClosed(real, closedSystemTrees) || (await isData(real, context))

/** Returns the working directory, a real path. Throws if a link has replaced it since it was checked. */
const unchangedDirectory = async (cwd: string): Promise<string> => {
  const real = await realpath(cwd)
  if (real !== cwd) throw new ToolFailure(`the working directory ${cwd} was replaced by a link to another place`)
  return real
}

/**
 * Resolves a path from a model, with links and `..`, to a real path inside the working directory.
 * @throws ToolFailure if the path leads outside, into the data directory or into a directory that is closed to all tools
 */
export const confinePath = async (requested: string, context: PathContext, use: PathUse): Promise<ConfinedPath> => {
  if (requested.includes("\0")) throw new ToolFailure("a path cannot contain a NUL character")
  const cwd = await unchangedDirectory(context.cwd)
  const real = await realTarget(resolve(cwd, requested))
  if (use === "read" && isInside(await realTarget(resolve(context.spillDir)), real)) return { real, shown: real }
  if (!isInside(cwd, real)) {
    throw new ToolFailure(`${requested} is outside the working directory ${cwd}; use a path inside it`)
  }
  if (isClosed(real, closedSystemTrees)) {
    throw new ToolFailure(
      `${requested} is closed to tools, because ${closedSystemTrees.join(", ")} belong to the machine`,
    )
  }
  if (await isData(real, context)) {
    throw new ToolFailure(`${requested} is in Adjutant's data directory, which tools cannot use`)
  }
  const shown = relative(cwd, real)
  if (use === "write" && hasSegment(shown, ".git")) {
    throw new ToolFailure(`${requested} is inside .git, which file tools do not change; use git in Bash`)
  }
  return { real, shown: shown === "" ? "." : shown }
}
