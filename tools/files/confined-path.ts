import { readlink, realpath } from "node:fs/promises"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { closedSystemTrees, isClosed } from "../../domain/workspace/closed-directories.ts"
import { dataDirName, dataRootOf } from "../../domain/workspace/data-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { protectedSegments } from "../../domain/workspace/protected-paths.ts"
import { isInWorktree } from "../../domain/workspace/worktree/worktree-place.ts"
import type { ConfinedPath } from "../disk/open-confined.ts"
import { maxLinks } from "../protection/link-steps.ts"
import { protectedPath } from "../protection/protected-path.ts"
import type { ToolContext } from "../tool.ts"
import { errorMessage, systemCode } from "../../domain/text/error-message.ts"
import { ToolFailure } from "../tool-failure.ts"

/** `read` can also use the complete outputs in `spillDir`; `write` cannot change protected paths without a person's approval. */
export type PathUse = "read" | "search" | "write"

export type PathContext = Pick<
  ToolContext,
  "cwd" | "spillDir" | "dataDir" | "namedFiles" | "mayChangeProtected" | "grantedPath"
>

const isMissing = (error: unknown): boolean => systemCode(error) === "ENOENT"

/** Reads a link in one call of the system. A test and then a read would be two, and the path could be replaced in between. */
const linkTarget = async (path: string): Promise<string | undefined> => {
  try {
    return await readlink(path)
  } catch (error) {
    if (isMissing(error) || systemCode(error) === "EINVAL") return undefined
    throw error
  }
}

/** Returns the real path of the part that exists, with the rest appended. Follows dangling links, too. */
const realTarget = async (path: string, linksLeft = maxLinks): Promise<string> => {
  if (!path.isWellFormed()) throw new ToolFailure(`${path.toWellFormed()} is not text; use a path of whole characters`)
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
    ...(context.dataDir === undefined ? [] : [dataRootOf(resolve(context.dataDir))]),
    ...closedSystemTrees,
  ].filter((path) => isInside(context.cwd, path))

const isData = async (real: string, context: PathContext): Promise<boolean> => {
  if (hasSegment(relative(context.cwd, real), dataDirName)) return true
  if (context.dataDir === undefined) return false
  const dataDir = await realTarget(resolve(context.dataDir))
  // A worktree is inside the data directory, and is what the run works in.
  return isInside(dataRootOf(dataDir), real) && !(isInWorktree(dataDir, context.cwd) && isInside(context.cwd, real))
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
 * Returns the protected path that a write changes; undefined if it changes none. Throws if the call may not change it, and if the path leads there through
 * a link: a person approves the path that they see, and a link could lead to another file by now.
 */
const requireChangeable = async (
  { requested, real }: { readonly requested: string; readonly real: string },
  context: PathContext,
): Promise<string | undefined> => {
  const part = await protectedPath(requested, real, context)
  if (part === undefined) return undefined
  if (resolve(context.cwd, requested) !== real)
    throw new ToolFailure(
      `${requested} leads through a link to ${relative(context.cwd, real)}, and ${part} is protected; name the file without links`,
    )
  if (context.mayChangeProtected !== true)
    throw new ToolFailure(
      `${part} is protected: a call that changes it needs a person's approval, and this one had none; propose the call again`,
    )
  return part
}

interface CheckedPath extends ConfinedPath {
  /** The protected path that a write to it changes. */
  readonly protectedPath?: string
}

/** Requires that the path still leads to where it led when the grant was applied: a link may have been changed since. */
const requireGranted = (requested: string, real: string, { cwd, grantedPath }: PathContext): void => {
  if (grantedPath !== undefined && real !== resolve(cwd, grantedPath))
    throw new ToolFailure(
      `${requested} leads elsewhere now, and a grant covers this call only for ${grantedPath}: nothing was done; propose the call again`,
    )
}

const checkPath = async (requested: string, context: PathContext, use: PathUse): Promise<CheckedPath> => {
  if (requested.includes("\0")) throw new ToolFailure("a path cannot contain a NUL character")
  const cwd = await unchangedDirectory(context.cwd)
  const real = await realTarget(resolve(cwd, requested))
  requireGranted(requested, real, context)
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
  const changed = use === "write" ? await requireChangeable({ requested, real }, context) : undefined
  return { real, shown: shown === "" ? "." : shown, protectedPath: changed }
}

/**
 * Resolves a path from a model, with links and `..`, to a real path inside the working directory.
 * @throws ToolFailure if the path leads outside, into the data directory or into a directory that is closed to all tools
 */
export const confinePath = async (requested: string, context: PathContext, use: PathUse): Promise<ConfinedPath> => {
  const { real, shown } = await checkPath(requested, context, use)
  return { real, shown }
}

/** Returns where a path leads, through links, relative to the working directory; undefined if that is outside of it. */
export const pathInside = async (requested: string, cwd: string): Promise<string | undefined> => {
  if (requested.includes("\0")) return undefined
  try {
    const real = await realTarget(resolve(cwd, requested))
    if (!isInside(cwd, real)) return undefined
    return relative(cwd, real) || "."
  } catch {
    return undefined
  }
}

/** What a write to a path needs. `protected`: a person's approval, for that path; `refused`: no call may write there. */
export type ChangeCheck =
  | { readonly kind: "free" }
  | { readonly kind: "protected"; readonly path: string }
  | { readonly kind: "refused"; readonly reason: string }

const checkOf = (path: string | undefined): ChangeCheck =>
  path === undefined ? { kind: "free" } : { kind: "protected", path }

/** Checks a path by its names alone, because part of it cannot be looked up: it is a file, and no directory. */
const checkNames = (requested: string): ChangeCheck => checkOf(protectedSegments(requested.split(sep))?.join(sep))

/** Checks a write to a file before it is made, whatever makes it. */
export const checkChange = async (
  requested: string,
  place: Omit<PathContext, "spillDir" | "mayChangeProtected">,
): Promise<ChangeCheck> => {
  try {
    const context = { ...place, spillDir: place.cwd, mayChangeProtected: true }
    const checked = await checkPath(requested, context, "write")
    return checkOf(checked.protectedPath)
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return checkNames(requested)
    return { kind: "refused", reason: errorMessage(error) }
  }
}

/**
 * Returns the protected path that a write to a confined file would change, relative to the working directory; undefined if the call needs no
 * approval for it. A path that cannot be used at all fails when the call runs.
 */
export const protectedChange = async (
  requested: string,
  place: Omit<PathContext, "spillDir" | "mayChangeProtected">,
): Promise<string | undefined> => {
  const check = await checkChange(requested, place)
  return check.kind === "protected" ? check.path : undefined
}
