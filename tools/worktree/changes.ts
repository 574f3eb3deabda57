import { dirname, resolve } from "node:path"
import { WorktreeLimit } from "../../domain/workspace/worktree/worktree-limit.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import type { ContentDirectory } from "./content-directory.ts"
import { nulEntries, outputOf, gitPathText, requireGit, runGit } from "./git.ts"

/** A file that a patch changes. */
export interface ChangedPath {
  /** Relative to the root of the worktree. */
  readonly path: string
  readonly change: "added" | "modified" | "deleted"
  /** Lines; null for binary files. */
  readonly added: number | null
  readonly deleted: number | null
  /** Where a new link leads, if that is outside of the worktree. */
  readonly leadsTo?: string
}

/** The difference between two trees. */
export interface Changes {
  readonly patch: Buffer
  readonly files: readonly ChangedPath[]
}

const what = "the changes cannot be read"

const linkMode = "120000"
const maxLinkBytes = 4_096

const changeOf = (status: string | undefined): ChangedPath["change"] => {
  if (status === "A") return "added"
  return status === "D" ? "deleted" : "modified"
}

/** Where a link leads that a program would follow out of the directory. */
const leadsOut = (path: string, target: string): boolean => {
  const root = "/worktree"
  return target.startsWith("/") || !isInside(root, resolve(dirname(`${root}/${path}`), target))
}

const linkTarget = async (content: ContentDirectory, workTree: string, blob: string): Promise<string> => {
  const found = await runGit(content.command(["cat-file", "blob", blob], workTree, { maxBytes: maxLinkBytes }))
  return found.code === 0 ? found.stdout.toString("utf8") : "/unknown"
}

interface Comparison {
  readonly workTree: string
  readonly from: string
  readonly to: string
}

const diffTree = (
  content: ContentDirectory,
  { workTree, from, to }: Comparison,
  options: readonly string[],
  maxBytes?: number,
) =>
  content.command(
    ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", ...options, from, to],
    workTree,
    maxBytes === undefined ? {} : { maxBytes },
  )

const linesOf = async (content: ContentDirectory, comparison: Comparison) => {
  const output = await requireGit(diffTree(content, comparison, ["--numstat", "-z"]), what)
  const number = (text: string | undefined): number | null => (text === undefined || text === "-" ? null : Number(text))
  return new Map(
    nulEntries(output).map((entry) => {
      const [added, deleted] = entry.split("\t", 2)
      const path = entry.slice((added?.length ?? 0) + (deleted?.length ?? 0) + 2)
      return [path, { added: number(added), deleted: number(deleted) }] as const
    }),
  )
}

const filesOf = async (content: ContentDirectory, comparison: Comparison): Promise<readonly ChangedPath[]> => {
  const entries = nulEntries(await requireGit(diffTree(content, comparison, ["--raw", "--no-abbrev", "-z"]), what))
  const lines = await linesOf(content, comparison)
  const files: ChangedPath[] = []
  for (let index = 0; index + 1 < entries.length; index += 2) {
    const [, mode, , blob = "", status] = (entries[index] ?? "").split(" ")
    const raw = entries[index + 1] ?? ""
    const path = gitPathText(raw)
    const target = mode === linkMode ? await linkTarget(content, comparison.workTree, blob) : undefined
    files.push({
      path,
      change: changeOf(status),
      ...(lines.get(raw) ?? { added: null, deleted: null }),
      ...(target !== undefined && leadsOut(path, target) ? { leadsTo: target } : {}),
    })
  }
  return files
}

/**
 * Returns the difference between two trees as a patch that `git apply` understands, and the files that it changes.
 * @throws WorktreeLimit if the patch is longer than `maxPatchBytes`
 */
export const changesBetween = async (
  content: ContentDirectory,
  comparison: Comparison,
  maxPatchBytes: number,
): Promise<Changes> => {
  const options = ["-p", "--binary", "--full-index", "--src-prefix=a/", "--dst-prefix=b/"]
  const result = await runGit(diffTree(content, comparison, options, maxPatchBytes))
  if (result.isCut)
    throw new WorktreeLimit(`the changes are too large: their diff is longer than ${maxPatchBytes} bytes`)
  return { patch: outputOf(result, what), files: await filesOf(content, comparison) }
}
