import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { objectsOf, type Repository } from "./repository.ts"
import type { GitCommand } from "./git.ts"

/**
 * A git directory of Adjutant's own, in which the contents of worktrees are read and compared. It reads the repository's objects and writes to its own.
 * It has no configuration of the repository, so that no filter, hook, monitor, external diff or text conversion of it can run.
 */
export interface ContentDirectory {
  readonly path: string
  /** Returns a command of git in it, for a working tree. */
  command(args: readonly string[], workTree: string, more?: Pick<GitCommand, "input" | "maxBytes">): GitCommand
}

/** Takes precedence over the attributes of a working tree: contents are compared byte by byte, and no attribute selects a program. */
const attributes = "* -text -eol -ident !filter !diff !merge !working-tree-encoding !whitespace\n"

const gitConfig = (format: Repository["objectFormat"]): string =>
  [
    "[core]",
    `\trepositoryformatversion = ${format === "sha256" ? 1 : 0}`,
    "\tbare = false",
    "\tautocrlf = false",
    "\tsafecrlf = false",
    "\tquotePath = true",
    ...(format === "sha256" ? ["[extensions]", "\tobjectFormat = sha256"] : []),
    "",
  ].join("\n")

const maxExcludes = 64 * 1024

/** Returns the patterns of files that the repository ignores without a `.gitignore`. */
const excludesOf = async ({ commonDir }: Repository): Promise<Buffer> => {
  const found = await readFile(join(commonDir, "info", "exclude")).catch(() => Buffer.alloc(0))
  return found.length > maxExcludes ? Buffer.alloc(0) : found
}

/** Ends all commands in it. */
export const contentDirectoryAt = (path: string, signal?: AbortSignal): ContentDirectory => ({
  path,
  command: (args, workTree, more = {}) => ({
    args,
    cwd: workTree,
    gitDir: path,
    workTree,
    indexFile: join(path, "index"),
    signal,
    ...more,
  }),
})

/** Creates the directory, in place of an earlier one. */
export const createContentDirectory = async (
  path: string,
  repository: Repository,
  signal?: AbortSignal,
): Promise<ContentDirectory> => {
  await rm(path, { recursive: true, force: true })
  for (const part of ["objects/info", "refs", "info"]) await mkdir(join(path, part), { recursive: true, mode: 0o700 })
  await writeFile(join(path, "HEAD"), "ref: refs/heads/none\n")
  await writeFile(join(path, "config"), gitConfig(repository.objectFormat))
  await writeFile(join(path, "objects", "info", "alternates"), `${objectsOf(repository)}\n`)
  await writeFile(join(path, "info", "attributes"), attributes)
  await writeFile(join(path, "info", "exclude"), await excludesOf(repository))
  return contentDirectoryAt(path, signal)
}
