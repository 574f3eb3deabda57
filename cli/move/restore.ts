import { existsSync } from "node:fs"
import { cp, lstat, mkdir, mkdtemp, readFile, realpath, rename, rm } from "node:fs/promises"
import path from "node:path"
import { askGit } from "../../config/data-dir/ask-git.ts"
import { chooseDataDir } from "../../config/data-dir/choose-data-dir.ts"
import { firstCommitOf, writeProjectRecord } from "../../config/data-dir/project-record.ts"
import { findOwnProject } from "../../config/find-project.ts"
import { type MovedPath, withMovedPaths } from "../../domain/run/moved-paths.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { printResult } from "../text/print-result.ts"
import type { CliContext } from "../program/cli-context.ts"
import type { ExitCode } from "../terminal/exit-code.ts"
import { oneLine } from "../terminal/plain-text.ts"
import { wrongUsage } from "../program/wrong-usage.ts"
import { unpack } from "./archive.ts"
import { type Backup, backupFile, backupSchema } from "./backup.ts"
import { hasStore, requireKnownContents } from "./find-source.ts"
import { describeContents, movedPaths, withMovable } from "./movable-store.ts"

const readBackup = async (folder: string, file: string): Promise<Backup> => {
  try {
    return backupSchema.parse(JSON.parse(await readFile(path.join(folder, backupFile), "utf8")))
  } catch (cause) {
    throw wrongUsage(`${file} is not a backup of Adjutant`, { cause })
  }
}

/** Returns where a file of a backup belongs. Refuses a path that leads out of its directory, through a link, or into a repository's own data. */
const placeFor = async (directory: string, file: string): Promise<string> => {
  const to = path.resolve(directory, file)
  const refused = wrongUsage(`the backup contains ${file}, which cannot be restored in ${directory}`)
  if (!isInside(directory, to) || to === directory || file.toLowerCase().split("/").includes(".git")) throw refused
  for (let at = path.dirname(to); ; at = path.dirname(at)) {
    if (!existsSync(at)) continue
    if (!isInside(directory, await realpath(at))) throw refused
    break
  }
  const found = await lstat(to).catch(() => undefined)
  if (found !== undefined && !found.isFile()) throw refused
  return to
}

interface Restored {
  readonly folder: string
  readonly moved: readonly MovedPath[]
  readonly projectRoot: string
  readonly warn: (line: string) => void
}

/** Brings back what the tasks had changed in a directory. */
const restoreFiles = async (
  { folder, moved, projectRoot, warn }: Restored,
  [index, { path: before, head, changed, deleted }]: readonly [number, Backup["directories"][number]],
): Promise<void> => {
  if (changed.length === 0 && deleted.length === 0) return
  const directory = withMovedPaths(before, moved)
  if (!isInside(projectRoot, directory) || !existsSync(directory))
    return warn(`the files of ${before} are not restored: it is not in the project, or does not exist here`)
  const now = (await askGit(directory, "rev-parse", "--verify", "HEAD")).stdout.trim()
  if (head !== null && now !== head)
    warn(`${directory} is at another commit (${now.slice(0, 12)}) than when the backup was made (${head.slice(0, 12)})`)
  // Nothing is written before every place is known to be inside.
  for (const file of [...changed, ...deleted]) await placeFor(directory, file)
  for (const file of changed) {
    const to = await placeFor(directory, file)
    await mkdir(path.dirname(to), { recursive: true })
    await cp(path.join(folder, "files", String(index), file), to)
  }
  for (const file of deleted) await rm(await placeFor(directory, file), { force: true })
}

/** Takes over a backup, into a data directory without tasks. Everything in it stays stopped until each task is resumed. */
export const restore = async (context: CliContext, given: string): Promise<ExitCode> => {
  const { cwd, env, options, confirm, io } = context
  const warn = (line: string): void => void io.stderr.write(`warning: ${line}\n`)
  const file = path.resolve(cwd, given)
  if (!existsSync(file)) throw wrongUsage(`${file} does not exist`)
  const to = await chooseDataDir({ cwd, env, dataDir: options.dataDir, confirm })
  if (hasStore(to) || existsSync(path.join(to, "temporal.db")))
    throw wrongUsage(`${to} has tasks already, and a backup is never merged: name an empty one with --data-dir`)
  await requireKnownContents(to)
  const { projectRoot } = await findOwnProject(cwd, env)
  const folder = await mkdtemp(path.join(path.dirname(to), "restore-"))
  try {
    await unpack(file, folder)
    const backup = await readBackup(folder, file)
    const data = path.join(folder, "data")
    await requireKnownContents(data)
    const moved = movedPaths([
      [backup.data_dir, to],
      [backup.project, projectRoot],
    ])
    const lines = (await describeContents(data, moved)).map((line) => `  ${oneLine(line, 2_000)}`)
    io.stderr.write(`${[`${file} contains:`, ...lines].join("\n")}\n`)
    await withMovable(data, ({ moves }) => moves.takeOver(moved))
    await writeProjectRecord(data, { path: projectRoot, first_commit: await firstCommitOf(projectRoot) })
    for (const entry of backup.directories.entries()) await restoreFiles({ folder, moved, projectRoot, warn }, entry)
    await rm(to, { recursive: true, force: true })
    await rename(data, to)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  printResult(context, { data_dir: to }, () =>
    [
      `Restored to ${to}.`,
      'Every task is stopped until "adjutant resume" continues it; "adjutant list" shows them.',
    ].join("\n"),
  )
  return 0
}
