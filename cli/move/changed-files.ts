import { lstatSync } from "node:fs"
import path from "node:path"
import { askGit, workTreeOf } from "../../config/data-dir/ask-git.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { sessionPages } from "../../sessions/rows/page.ts"
import type { Store } from "../../store/store.ts"
import { wrongUsage } from "../program/wrong-usage.ts"

/** What the open tasks of a store changed in a directory, relative to it. */
export interface ChangedDirectory {
  readonly path: string
  /** The commit to which the changes belong; null outside of a repository. */
  readonly head: string | null
  readonly changed: readonly string[]
  readonly deleted: readonly string[]
}

const entries = (text: string): readonly string[] => text.split("\0").filter((entry) => entry !== "")

const listed = async (directory: string, ...args: readonly string[]): Promise<readonly string[]> => {
  const { error, stdout, stderr } = await askGit(directory, ...args)
  if (error !== null) throw wrongUsage(`the changed files of ${directory} cannot be listed: ${stderr.trim()}`)
  return entries(stdout)
}

/** Returns the paths that differ from the last commit, without ignored ones. */
const differing = async (directory: string): Promise<Pick<ChangedDirectory, "head"> & { readonly paths: string[] }> => {
  if ((await workTreeOf(directory)) === undefined) return { head: null, paths: [] }
  const { error, stdout } = await askGit(directory, "rev-parse", "--verify", "HEAD")
  if (error !== null) return { head: null, paths: [] }
  const tracked = await listed(directory, "diff", "--name-only", "--relative", "--no-ext-diff", "-z", "HEAD")
  const added = await listed(directory, "ls-files", "--others", "--exclude-standard", "-z")
  return { head: stdout.trim(), paths: [...tracked, ...added] }
}

const kindOfFile = (file: string): "file" | "gone" | "other" => {
  try {
    return lstatSync(file).isFile() ? "file" : "other"
  } catch {
    return "gone"
  }
}

/** Returns what was changed in the directories of open tasks: what differs from the last commit there, and what the tasks wrote. */
export const changesOfOpenTasks = async (store: Store): Promise<readonly ChangedDirectory[]> => {
  const written = new Map<string, Set<string>>()
  for await (const page of sessionPages(store, {}))
    for (const { id, cwd, status } of page) {
      if (isFinal(status)) continue
      const paths = written.get(cwd) ?? new Set<string>()
      written.set(cwd, paths)
      if ((await store.worktrees.get(id)) !== undefined) continue
      for (const file of (await store.touchedFiles.written(id)).keys()) paths.add(file)
    }
  const found: ChangedDirectory[] = []
  for (const [directory, own] of written) {
    const { head, paths } = await differing(directory)
    const all = [...new Set([...paths, ...own])].filter((file) => file.split("/")[0] !== dataDirName).toSorted()
    const kinds = all.map((file) => [file, kindOfFile(path.join(directory, file))] as const)
    const of = (kind: string): string[] => kinds.flatMap(([file, is]) => (is === kind ? [file] : []))
    found.push({ path: directory, head, changed: of("file"), deleted: of("gone") })
  }
  return found
}
