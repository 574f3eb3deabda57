import { homedir } from "node:os"
import { join } from "node:path"
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

export const programCache = (env: NodeJS.ProcessEnv): ProgramCache => {
  const root = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache")
  const directory = join(root, "adjutant", "temporal-cli", temporalCliVersion)
  return {
    directory,
    program: join(directory, "temporal"),
    lock: join(directory, "fill.lock"),
    progress: join(directory, "fill.json"),
  }
}
