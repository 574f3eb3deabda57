import type { Config } from "../contracts/config.ts"

/** The configuration that this process lives by, with where it came from. */
export interface LoadedConfig {
  readonly config: Config
  /** Absolute path of the file; null where none was found (every key has a default). */
  readonly configPath: string | null
  /** Folder of the configuration file, else the git root, else the working directory. */
  readonly projectRoot: string
  /** Absolute; exists, mode 0700, ignores itself in git. */
  readonly dataDir: string
}
