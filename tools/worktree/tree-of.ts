import { access, constants, lstat } from "node:fs/promises"
import { join } from "node:path"
import { WorktreeLimit } from "../../domain/workspace/worktree/worktree-limit.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import type { ContentDirectory } from "./content-directory.ts"
import { nulEntries, gitPathText, requireGit } from "./git.ts"
import { orAbsent } from "./or-absent.ts"

/** How much a worktree and the changes in it can contain. */
export interface WorktreeLimits {
  /** Files of the tree, and their bytes. */
  readonly maxFiles: number
  readonly maxBytes: number
  /** Bytes of the files that differ from the last known tree. */
  readonly maxChangedBytes: number
  readonly maxPatchBytes: number
}

export const defaultWorktreeLimits: WorktreeLimits = {
  maxFiles: 200_000,
  maxBytes: 2 * 1024 ** 3,
  maxChangedBytes: 256 * 1024 ** 2,
  maxPatchBytes: 8 * 1024 ** 2,
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`

interface TreeFacts {
  /** Paths of submodules, which are not touched. */
  readonly submodules: ReadonlySet<string>
}

/** Reads a tree's list of files. @throws WorktreeLimit if it is too large for a worktree */
const factsOf = async (
  content: ContentDirectory,
  tree: string,
  { workTree, limits }: { readonly workTree: string; readonly limits: WorktreeLimits },
): Promise<TreeFacts> => {
  const list = await requireGit(
    content.command(["ls-tree", "-r", "-l", "-z", tree], workTree, { maxBytes: 256 * 1024 ** 2 }),
    "the files of the repository cannot be listed",
  )
  const submodules = new Set<string>()
  let files = 0
  let bytes = 0
  for (const entry of nulEntries(list)) {
    const end = entry.indexOf("\t")
    const [mode, , , size = "0"] = entry.slice(0, end).split(/ +/)
    if (mode === "160000") submodules.add(entry.slice(end + 1))
    files += 1
    bytes += Number(size) || 0
  }
  if (files > limits.maxFiles)
    throw new WorktreeLimit(`the repository is too large for a worktree: ${files} files, at most ${limits.maxFiles}`)
  if (bytes > limits.maxBytes)
    throw new WorktreeLimit(
      `the repository is too large for a worktree: ${mebibytes(bytes)}, at most ${mebibytes(limits.maxBytes)}`,
    )
  return { submodules }
}

/** A file that differs from the known tree; `left`: why git cannot store it. */
interface ChangedFile {
  readonly path: string
  readonly bytes: number
  /** A directory has replaced it. The files in the directory are listed separately. */
  readonly isDirectory?: true
  readonly left?: string
}

/** Accepts a file that nobody may read, which a command can have made. @throws any other error: the next attempt may be able to read the file */
const orClosed = (error: unknown): "closed" => {
  const code = systemCode(error)
  if (code !== "EACCES" && code !== "EPERM") throw error
  return "closed"
}

const examine = async (workTree: string, path: string): Promise<ChangedFile> => {
  const absolute = join(workTree, gitPathText(path))
  const closed = { path, bytes: 0, left: "cannot be read" }
  const found = await lstat(absolute).catch(orAbsent).catch(orClosed)
  if (found === "closed") return closed
  if (found?.isDirectory() === true) return { path, bytes: 0, isDirectory: true }
  if (found === undefined || found.isSymbolicLink()) return { path, bytes: 0 }
  if (!found.isFile()) return { path, bytes: 0, left: "neither a file nor a link" }
  return (await access(absolute, constants.R_OK).catch(orClosed)) === "closed" ? closed : { path, bytes: found.size }
}

export interface WorkingTree {
  /** Id of the tree object. */
  readonly tree: string
  /** What is not in it, for people: nested repositories, and what git cannot store. */
  readonly leftOut: readonly string[]
}

const concurrency = 32

const examineAll = async (workTree: string, paths: readonly string[]): Promise<readonly ChangedFile[]> => {
  const files: ChangedFile[] = []
  for (let start = 0; start < paths.length; start += concurrency)
    files.push(...(await Promise.all(paths.slice(start, start + concurrency).map((path) => examine(workTree, path)))))
  return files
}

/**
 * Stores the files of a working tree, with new ones that are not ignored, and returns their tree.
 *
 * @param known a tree that the working tree is similar to, which says where its submodules are
 * @param isIndexed whether the index has what is known of the working tree, so that only changed files are read
 * @throws WorktreeLimit if there is too much
 */
export const treeOf = async (
  content: ContentDirectory,
  workTree: string,
  {
    known,
    isIndexed,
    limits,
  }: { readonly known: string; readonly isIndexed: boolean; readonly limits: WorktreeLimits },
): Promise<WorkingTree> => {
  const what = "the files of the working tree cannot be read"
  const { submodules } = await factsOf(content, known, { workTree, limits })
  if (!isIndexed) await requireGit(content.command(["read-tree", known], workTree), what)
  const args = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"]
  const listed = nulEntries(await requireGit(content.command(args, workTree), what))
  const paths = [...new Set(listed)].filter((path) => !submodules.has(path))
  const nested = paths.filter((path) => path.endsWith("/"))
  const files = await examineAll(
    workTree,
    paths.filter((path) => !path.endsWith("/")),
  )
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (files.length > limits.maxFiles || bytes > limits.maxChangedBytes)
    throw new WorktreeLimit(
      `too much has changed: ${files.length} files with ${mebibytes(bytes)}, at most ${limits.maxFiles} and ${mebibytes(limits.maxChangedBytes)}; commit or ignore large files`,
    )
  const update = async (options: readonly string[], some: readonly ChangedFile[]): Promise<void> => {
    if (some.length === 0) return
    const input = Buffer.from(some.map(({ path }) => `${path}\0`).join(""), "latin1")
    await requireGit(content.command(["update-index", "-z", ...options, "--stdin"], workTree, { input }), what)
  }
  const stored = files.filter(({ left }) => left === undefined)
  await update(
    ["--force-remove"],
    stored.filter(({ isDirectory }) => isDirectory === true),
  )
  await update(
    ["--add", "--remove", "--replace"],
    stored.filter(({ isDirectory }) => isDirectory !== true),
  )
  const tree = (await requireGit(content.command(["write-tree"], workTree), what)).toString("utf8").trim()
  const leftOut = [
    ...nested.map((path) => `${gitPathText(path)}: a repository of its own`),
    ...files.flatMap(({ path, left }) => (left === undefined ? [] : [`${gitPathText(path)}: ${left}`])),
  ]
  return { tree, leftOut }
}
