import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Environment } from "../../domain/environment.ts"
import { stateFolder } from "./state-folder.ts"

/** Returns the data directories in the user's state folder. Those that `--data-dir` named elsewhere are not among them. */
export const knownDataDirs = async (env: Environment): Promise<readonly string[]> => {
  const folder = stateFolder(env)
  if (folder === undefined) return []
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .toSorted()
}
