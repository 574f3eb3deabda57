import { readdir, realpath } from "node:fs/promises"
import { join } from "node:path"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { packageRoot } from "../package-root.ts"
import { type CoveredFiles, hashFile } from "./cover-files.ts"

/**
 * Returns whether a configuration is one of the examples that are part of this program, or an exact copy of one with every file that it names.
 * A user who can change the examples can change the program.
 */
export const isOwnExample = async (configPath: string, files: CoveredFiles): Promise<boolean> => {
  const examples = await realpath(join(packageRoot(), "examples")).catch(() => undefined)
  if (examples === undefined) return false
  if (isInside(examples, configPath)) return isInside(examples, await realpath(configPath))
  for (const name of await readdir(examples)) if (await isCopyOf(join(examples, name), files)) return true
  return false
}

const isCopyOf = async (example: string, files: CoveredFiles): Promise<boolean> => {
  for (const [path, hash] of Object.entries(files))
    if (path.startsWith("..") || (await hashFile(join(example, path))) !== hash) return false
  return true
}
