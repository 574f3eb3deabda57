import { existsSync } from "node:fs"
import { lstat, readdir, realpath } from "node:fs/promises"
import path from "node:path"
import { prepareDataDir } from "../../config/data-dir/prepare-data-dir.ts"
import { readProjectRecord } from "../../config/data-dir/project-record.ts"
import { defaultDataDir } from "../../config/data-dir/state-folder.ts"
import type { Environment } from "../../domain/environment.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { wrongUsage } from "../program/wrong-usage.ts"

/** Where a data directory comes from. */
export interface MoveSource {
  readonly dataDir: string
  /** The project whose directories are at another place now; undefined if the directory does not say. */
  readonly project: string | undefined
}

const realOf = (given: string): Promise<string> => realpath(given).catch(() => given)

/** Returns whether a data directory contains tasks. */
export const hasStore = (dataDir: string): boolean => existsSync(path.join(dataDir, "store.db"))

/** What a data directory contains. Another name belongs to another program or came with the directory. */
const folders: ReadonlySet<string> = new Set([
  "server",
  "service",
  "spill",
  "scratch",
  "mcp-tools",
  "watches",
  "worktrees",
  "quarantine",
  "session",
])
const files: ReadonlySet<string> = new Set([".gitignore", "api-token", "project.json", "shown-warnings"])
const isFile = (name: string): boolean =>
  files.has(name) || /^(?:(?:store|temporal)\.db(?:-wal|-shm|-journal)?|(?:temporal|service)\.log.*)$/.test(name)

/** Refuses a data directory that contains anything else. */
export const requireKnownContents = async (dataDir: string): Promise<void> => {
  for (const name of await readdir(dataDir)) {
    const found = await lstat(path.join(dataDir, name))
    if (folders.has(name) ? found.isDirectory() : isFile(name) && found.isFile()) continue
    throw wrongUsage(`${dataDir} contains ${name}, which Adjutant did not write: move it elsewhere first`)
  }
}

/** Returns the data directory that a path means: itself, or that of the project. @throws AdjutantError if there is none, or if it contains files of others */
export const findSource = async (cwd: string, from: string, env: Environment): Promise<MoveSource> => {
  const given = await realOf(path.resolve(cwd, from))
  const wanted = hasStore(given) ? given : await defaultDataDir(given, env)
  if (!hasStore(wanted)) throw wrongUsage(`${given} has no tasks: neither it nor ${wanted} contains a session store`)
  const dataDir = await prepareDataDir(wanted)
  await requireKnownContents(dataDir)
  const recorded = (await readProjectRecord(dataDir))?.path
  return { dataDir, project: recorded ?? (path.basename(dataDir) === dataDirName ? path.dirname(dataDir) : undefined) }
}
