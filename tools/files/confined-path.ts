import { lstat, readlink, realpath } from "node:fs/promises"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { closedSystemTrees, isClosed } from "../../domain/workspace/closed-directories.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import type { ToolContext } from "../tool.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { ToolFailure } from "../tool-failure.ts"

/** A path that was inside the permitted place when it was checked. It has no symbolic link in it and may not exist yet. */
export interface ConfinedPath {
  /** Absolute and real. */
  readonly real: string
  /** Relative to the working directory, or absolute for a kept output. */
  readonly shown: string
}

/** `read` may also reach the kept outputs in `spillDir`; `write` may not reach into `.git`. */
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

/** Where a path leads, with the part that does not exist yet appended to the real path of what does; follows dangling links too. */
const realTarget = async (path: string, linksLeft = maxLinks): Promise<string> => {
  try {
    return await realpath(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const parent = await realTarget(dirname(path), linksLeft)
  const link = await linkTarget(join(parent, basename(path)))
  if (link === undefined) return join(parent, basename(path))
  if (linksLeft === 0) throw new ToolFailure(`${path} has too many symbolic links.`)
  return realTarget(resolve(parent, link), linksLeft - 1)
}

const hasSegment = (shown: string, name: string): boolean =>
  shown.split(sep).some((segment) => segment.toLowerCase() === name)

/** Absolute directories inside `cwd` that hold other sessions' data, or are closed to everybody. */
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

/** True where no tool may look: the data directory, wherever it is, and what is closed to everybody. */
export const isHidden = async (real: string, context: PathContext): Promise<boolean> =>
  isClosed(real, closedSystemTrees) || (await isData(real, context))

/** The working directory, which is a real path: one that a link has replaced meanwhile is not the one that was checked. */
const unchangedDirectory = async (cwd: string): Promise<string> => {
  const real = await realpath(cwd)
  if (real !== cwd) throw new ToolFailure(`The working directory ${cwd} was replaced by a link to another place.`)
  return real
}

/**
 * Resolves what a model named to a real path inside the working directory, links and `..` included.
 * @throws ToolFailure when the path leads out of it, into the data directory or into what is closed to everybody
 */
export const confinePath = async (requested: string, context: PathContext, use: PathUse): Promise<ConfinedPath> => {
  if (requested.includes("\0")) throw new ToolFailure("A path cannot contain a NUL character.")
  const cwd = await unchangedDirectory(context.cwd)
  const real = await realTarget(resolve(cwd, requested))
  if (use === "read" && isInside(await realTarget(resolve(context.spillDir)), real)) return { real, shown: real }
  if (!isInside(cwd, real)) {
    throw new ToolFailure(`${requested} is outside the working directory ${cwd}. Use a path inside it.`)
  }
  if (isClosed(real, closedSystemTrees)) {
    throw new ToolFailure(`${requested} is closed to tools: ${closedSystemTrees.join(", ")} are the machine's own.`)
  }
  if (await isData(real, context)) {
    throw new ToolFailure(`${requested} belongs to Adjutant's own data directory, which tools cannot use.`)
  }
  const shown = relative(cwd, real)
  if (use === "write" && hasSegment(shown, ".git")) {
    throw new ToolFailure(`${requested} is inside .git, which file tools do not change. Use git itself.`)
  }
  return { real, shown: shown === "" ? "." : shown }
}
