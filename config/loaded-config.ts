import type { Config } from "../contracts/config/config.ts"
import type { ModelSpec } from "../contracts/run-snapshot.ts"

/** The configuration of this process, and where it was read. */
export interface LoadedConfig {
  readonly config: Config
  /** Absolute path of the file; null if none was found (every key has a default). */
  readonly configPath: string | null
  /** Directory of the configuration file, or else the git root, or else the working directory. */
  readonly projectRoot: string
  /** Absolute; exists, mode 0700, ignores itself in git. For a process that only reads, it can be missing. */
  readonly dataDir: string
  /** Models by name: the configured ones, and `main` and `light` if the environment defines them. A null price is unknown. */
  readonly models: Readonly<Record<string, ModelSpec>>
  /** Models that can be named by their provider's id although they are not configured. */
  readonly knownModels: Readonly<Record<string, ModelSpec>>
  /** Returns a further model that can be named by its provider's id; absent: there is none. */
  readonly modelById?: (id: string) => ModelSpec | undefined
  /** Names of the tools that the embedding program provides. */
  readonly customTools?: readonly string[]
}
