import { existsSync } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Environment } from "../../domain/environment.ts"
import { openToOthers } from "./prepare-data-dir.ts"
import { readProjectRecord } from "./project-record.ts"
import { stateFolder } from "./state-folder.ts"

/** A data directory in the user's state folder. */
export interface ProjectDataDir {
  readonly dataDir: string
  /** Real path of its project; null if it is not recorded. */
  readonly project: string | null
}

/** Returns whether a directory is this user's alone, as Adjutant makes it. */
const isOwn = async (path: string): Promise<boolean> => {
  const found = await lstat(path)
  const isMine = process.getuid === undefined || found.uid === process.getuid()
  return found.isDirectory() && isMine && (found.mode & openToOthers) === 0
}

/** Returns the data directories of all projects of this user that have a store in them, or this other file or folder, by name. Directories that are named with `--data-dir` are elsewhere. */
export const listDataDirs = async (env: Environment, holding = "store.db"): Promise<readonly ProjectDataDir[]> => {
  const folder = stateFolder(env)
  const names = folder === undefined ? [] : await readdir(folder).catch(() => [])
  const found: ProjectDataDir[] = []
  for (const dataDir of names.toSorted().map((name) => join(folder ?? "", name))) {
    if (!existsSync(join(dataDir, holding)) || !(await isOwn(dataDir))) continue
    const record = await readProjectRecord(dataDir).catch(() => undefined)
    found.push({ dataDir, project: record?.path ?? null })
  }
  return found
}
