import { mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { z } from "zod"
import { worktreePath, worktreesDirectory } from "../../domain/workspace/worktree/worktree-place.ts"
import { type Changes, changesBetween } from "./changes.ts"
import { type ContentDirectory, contentDirectoryAt, createContentDirectory } from "./content-directory.ts"
import { requireGit } from "./git.ts"
import { type ApprovedMerge, mergeApproved } from "./merge-approved.ts"
import { applyToTree, mergePatch, type MergeResult } from "./apply-patch.ts"
import { missingPaths } from "./missing-paths.ts"
import { orAbsent } from "./or-absent.ts"
import { forgetWorktree, removeDirectory } from "./remove-worktree.ts"
import { repositoryOf } from "./repository.ts"
import { defaultWorktreeLimits, treeOf, type WorktreeLimits } from "./tree-of.ts"

/** The owner and the source of a worktree. Written first, so that a worker that finds an incomplete worktree can remove it. */
const placeSchema = z.object({
  storeId: z.string(),
  sessionId: z.string(),
  /** The directory from which the files were taken. */
  source: z.string(),
  commonDir: z.string(),
  /** The tree with which it began; absent until it is complete. */
  base: z.string().optional(),
})
export type WorktreePlace = z.infer<typeof placeSchema>

export interface NewWorktree extends Pick<WorktreePlace, "storeId" | "sessionId" | "source"> {
  /** The directory of the worktree; see `worktreePath`. */
  readonly path: string
  /** Changes of an earlier run, with which it continues. */
  readonly patch?: Buffer | undefined
  /** Ends the attempt: git is stopped, and nothing is left of the worktree. */
  readonly signal?: AbortSignal
}

/** The state of a worktree at its end. */
export interface WorktreeEnd extends Changes {
  readonly base: string
  readonly tree: string
  readonly leftOut: readonly string[]
}

const placeFile = (path: string): string => join(dirname(path), "place.json")
const contentPath = (path: string): string => join(dirname(path), "content")

/** Returns undefined if the worktree does not exist or is incomplete. @throws if a file cannot be read now */
const readPlace = async (file: string): Promise<WorktreePlace | undefined> => {
  const text = await readFile(file, "utf8").catch(orAbsent)
  try {
    return placeSchema.parse(JSON.parse(text ?? ""))
  } catch {
    return undefined
  }
}

const writePlace = async (path: string, place: WorktreePlace): Promise<void> => {
  const file = placeFile(path)
  await writeFile(`${file}.new`, JSON.stringify(place), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

const isDirectory = async (path: string): Promise<boolean> => (await stat(path).catch(orAbsent))?.isDirectory() === true

/** The worktrees of sessions, as files and in git. */
export interface WorktreeFiles {
  /**
   * Creates a worktree with the files of `source` as they are, changed or new ones that are not ignored included. One that exists already stays as it is.
   * @throws AdjutantError `invalid_argument` if there can be none
   */
  open(wanted: NewWorktree): Promise<{ readonly base: string }>
  /**
   * Returns what was changed in a worktree; undefined if there is none.
   * @throws WorktreeLimit if that is too much to be kept, and other errors if it cannot be read now
   */
  end(path: string, signal?: AbortSignal): Promise<WorktreeEnd | undefined>
  /** Returns what a worktree of a directory lacks; see `missingPaths`. */
  missing(source: string): Promise<readonly string[]>
  /** Removes a worktree, and what its repository knows of it. Does nothing if there is none. */
  remove(path: string): Promise<void>
  /** Returns the places of all worktrees of a data directory, by their paths. */
  list(dataDir: string): Promise<ReadonlyMap<string, WorktreePlace>>
  /** Applies a whole patch to the files of a directory, or nothing if it does not fit or if it throws. `approved`: it may change protected files. */
  merge(directory: string, patch: Buffer, approved?: ApprovedMerge): Promise<MergeResult>
  /** Returns whether a patch fits the files of a directory, and why not. */
  check(directory: string, patch: Buffer): Promise<MergeResult>
}

const remove = async (path: string): Promise<void> => {
  const place = await readPlace(placeFile(path))
  if (place !== undefined) await forgetWorktree(place.commonDir, path)
  await removeDirectory(dirname(path))
}

/** Fills the new worktree. The repository's own checkout would run its filters. */
const checkOut = async (content: ContentDirectory, path: string, tree: string): Promise<void> => {
  const what = "the files of the worktree could not be written"
  await requireGit(content.command(["read-tree", tree], path), what)
  await requireGit(content.command(["checkout-index", "--all", "--force", "--index", "--quiet"], path), what)
}

const create = async (wanted: NewWorktree, limits: WorktreeLimits): Promise<{ readonly base: string }> => {
  const { path, source, storeId, sessionId, patch, signal } = wanted
  const repository = await repositoryOf(source)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const place = { storeId, sessionId, source: repository.root, commonDir: repository.commonDir }
  await writePlace(path, place)
  // An attempt that was interrupted may have left its entry.
  await forgetWorktree(repository.commonDir, path)
  const content = await createContentDirectory(contentPath(path), repository, signal)
  const { tree: base } = await treeOf(content, repository.root, { known: repository.head, isIndexed: false, limits })
  const tree = patch === undefined ? base : await applyToTree(content, { workTree: source, base, patch })
  await requireGit(
    {
      args: ["worktree", "add", "--quiet", "--detach", "--no-checkout", path, repository.head],
      cwd: repository.root,
      signal,
    },
    "git cannot create a worktree",
  )
  await checkOut(content, path, tree)
  // For people who look into it with git; Adjutant uses an index of its own.
  await requireGit({ args: ["read-tree", base], cwd: path }, "git cannot fill the worktree's index").catch(
    () => undefined,
  )
  signal?.throwIfAborted()
  await writePlace(path, { ...place, base })
  return { base }
}

const end = async (
  path: string,
  limits: WorktreeLimits,
  signal: AbortSignal | undefined,
): Promise<WorktreeEnd | undefined> => {
  const place = await readPlace(placeFile(path))
  if (!(await isDirectory(path))) return undefined
  if (place?.base === undefined) throw new Error(`${path} does not say with which files it began`)
  const content = contentDirectoryAt(contentPath(path), signal)
  const { base } = place
  const { tree, leftOut } = await treeOf(content, path, { known: base, isIndexed: true, limits })
  const changes = await changesBetween(content, { workTree: path, from: base, to: tree }, limits.maxPatchBytes)
  return { ...changes, base, tree, leftOut }
}

export const createWorktreeFiles = (limits: WorktreeLimits = defaultWorktreeLimits): WorktreeFiles => ({
  async open(wanted) {
    const { path } = wanted
    const known = await readPlace(placeFile(path))
    if (known?.base !== undefined && known.sessionId === wanted.sessionId && (await isDirectory(path)))
      return { base: known.base }
    await remove(path)
    try {
      return await create(wanted, limits)
    } catch (error) {
      await remove(path)
      throw error
    }
  },
  missing: missingPaths,
  end: (path, signal) => end(path, limits, signal),
  remove,
  async list(dataDir) {
    const all = worktreesDirectory(dataDir)
    const places = new Map<string, WorktreePlace>()
    for (const key of await readdir(all).catch(() => [])) {
      const path = worktreePath(dataDir, key)
      const place = await readPlace(placeFile(path)).catch(() => undefined)
      if (place !== undefined) places.set(path, place)
    }
    return places
  },
  merge: (directory, patch, approved) =>
    approved === undefined ? mergePatch(directory, patch, { isDry: false }) : mergeApproved(directory, patch, approved),
  check: (directory, patch) => mergePatch(directory, patch, { isDry: true }),
})
