import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { cacheFolder } from "../../domain/workspace/cache-folder.ts"

/** Returns Adjutant's folder in the user's cache. Throws an `Error` for a user without a home directory. */
export const userCache = (env: NodeJS.ProcessEnv): string => {
  const folder = cacheFolder(env, { homedir, existsSync })
  if (folder === undefined)
    throw new Error("there is no home directory: set XDG_CACHE_HOME to a folder that is writable")
  return folder
}
