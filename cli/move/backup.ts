import { existsSync, lstatSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { z } from "zod"
import { findOwnProject } from "../../config/find-project.ts"
import { printResult } from "../text/print-result.ts"
import type { CliContext } from "../program/cli-context.ts"
import type { ExitCode } from "../terminal/exit-code.ts"
import { loadHostConfig } from "../program/load-host-config.ts"
import { wrongUsage } from "../program/wrong-usage.ts"
import { pack } from "./archive.ts"
import { hasStore } from "./find-source.ts"
import { holdDataDir } from "./hold-data-dir.ts"
import { describeContents, withMovable } from "./movable-store.ts"
import { left } from "./move-files.ts"
import { askGit, workTreeOf } from "../../config/data-dir/ask-git.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { sessionPages } from "../../sessions/rows/page.ts"
import type { Store } from "../../store/store.ts"

/** What the open tasks of a store changed in a directory, relative to it. */
interface ChangedDirectory {
  readonly path: string
  /** The commit to which the changes belong; null outside of a repository. */
  readonly head: string | null
  readonly changed: readonly string[]
  readonly deleted: readonly string[]
}

const pathsIn = (text: string): readonly string[] => text.split("\0").filter((entry) => entry !== "")

const pathsFromGit = async (directory: string, ...args: readonly string[]): Promise<readonly string[]> => {
  const { error, stdout, stderr } = await askGit(directory, ...args)
  if (error !== null) throw wrongUsage(`the changed files of ${directory} cannot be listed: ${stderr.trim()}`)
  return pathsIn(stdout)
}

/** Returns the paths that differ from the last commit, without ignored ones. */
const differing = async (directory: string): Promise<Pick<ChangedDirectory, "head"> & { readonly paths: string[] }> => {
  if ((await workTreeOf(directory)) === undefined) return { head: null, paths: [] }
  const { error, stdout } = await askGit(directory, "rev-parse", "--verify", "HEAD")
  if (error !== null) return { head: null, paths: [] }
  const tracked = await pathsFromGit(directory, "diff", "--name-only", "--relative", "--no-ext-diff", "-z", "HEAD")
  const added = await pathsFromGit(directory, "ls-files", "--others", "--exclude-standard", "-z")
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
const changesOfOpenTasks = async (store: Store): Promise<readonly ChangedDirectory[]> => {
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

/** What a backup says of itself. */
export const backupSchema = z.strictObject({
  version: z.literal(1),
  /** Real path of the project. */
  project: z.string(),
  data_dir: z.string(),
  /** What open tasks changed in their directories, with `--files`; the files of the first one are in `files/0`. */
  directories: z.array(
    z.strictObject({
      path: z.string(),
      head: z.string().nullable(),
      changed: z.array(z.string()),
      deleted: z.array(z.string()),
    }),
  ),
})
export type Backup = z.infer<typeof backupSchema>

export const backupFile = "backup.json"

const isKept = (name: string): boolean => !left.includes(name) && !/\.log/.test(name)

/** Copies what a data directory contains besides keys and records of processes. */
const copyData = async (dataDir: string, folder: string): Promise<void> => {
  await mkdir(folder, { mode: 0o700 })
  for (const name of await readdir(dataDir))
    if (isKept(name)) await cp(path.join(dataDir, name), path.join(folder, name), { recursive: true })
  await withMovable(folder, ({ moves }) => moves.forgetSecrets())
}

const copyChanged = async (folder: string, directories: Backup["directories"]): Promise<void> => {
  for (const [index, { path: directory, changed }] of directories.entries())
    for (const file of changed) {
      const to = path.join(folder, "files", String(index), file)
      await mkdir(path.dirname(to), { recursive: true })
      await cp(path.join(directory, file), to)
    }
}

const requireOwnStore = (dataDir: string, url: string): void => {
  if (url !== "sqlite:")
    throw wrongUsage("the store is not in the data directory: back up its database with the database's own means")
  if (!hasStore(dataDir)) throw wrongUsage(`${dataDir} has no tasks: it contains no session store`)
}

/** Writes a backup of the data directory, which nothing may use meanwhile. */
export const backUp = async (
  context: CliContext,
  { file, hasFiles }: { readonly file: string; readonly hasFiles: boolean },
): Promise<ExitCode> => {
  const { cwd, env } = context
  const { config, dataDir } = await loadHostConfig(context, { isReading: true })
  requireOwnStore(dataDir, config.store.url)
  const to = path.resolve(cwd, file)
  if (existsSync(to)) throw wrongUsage(`${to} exists: name another file`)
  const { projectRoot } = await findOwnProject(cwd, env)
  const folder = await mkdtemp(path.join(os.tmpdir(), "adjutant-backup-"))
  const lock = await holdDataDir(dataDir)
  try {
    await describeContents(dataDir, [])
    const directories = hasFiles ? await withMovable(dataDir, changesOfOpenTasks) : []
    const backup = { version: 1, project: projectRoot, data_dir: dataDir, directories: [...directories] }
    const checked = backupSchema.parse(backup)
    await copyData(dataDir, path.join(folder, "data"))
    await copyChanged(folder, checked.directories)
    await writeFile(path.join(folder, backupFile), `${JSON.stringify(checked, null, 2)}\n`)
    await pack(folder, to)
  } finally {
    lock.release()
    await rm(folder, { recursive: true, force: true })
  }
  printResult(context, { file: to }, () => `Wrote ${to}.`)
  return 0
}
