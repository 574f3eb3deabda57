import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { cacheFolder } from "../../domain/workspace/cache-folder.ts"
import { temporalCliVersion } from "./temporal-version.ts"

/** Paths of the downloaded or built `temporal` program. */
export interface ProgramCache {
  readonly directory: string
  readonly program: string
  /** Locked by the process that fills the cache. */
  readonly lock: string
  /** The progress of that process. */
  readonly progress: string
}

/** Returns undefined for a user without a home directory or a cache folder. */
export const programCache = (env: NodeJS.ProcessEnv): ProgramCache | undefined => {
  const root = cacheFolder(env, { homedir, existsSync })
  if (root === undefined) return undefined
  const directory = join(root, "temporal-cli", temporalCliVersion)
  return {
    directory,
    program: join(directory, "temporal"),
    lock: join(directory, "fill.lock"),
    progress: join(directory, "fill.json"),
  }
}
