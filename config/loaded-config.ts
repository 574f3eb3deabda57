import type { Config } from "../contracts/config/config.ts"
import type { ModelSpec } from "../contracts/run-snapshot.ts"

/** The configuration of this process, with where it came from. */
export interface LoadedConfig {
  readonly config: Config
  /** Absolute path of the file; null where none was found (every key has a default). */
  readonly configPath: string | null
  /** Folder of the configuration file, else the git root, else the working directory. */
  readonly projectRoot: string
  /** Absolute; exists, mode 0700, ignores itself in git. */
  readonly dataDir: string
  /** Models by name: the configured ones, and `main` and `light` where the environment says what they are. Null prices are unknown. */
  readonly models: Readonly<Record<string, ModelSpec>>
  /** Models that may be named by their provider's id although no configuration names them. */
  readonly knownModels: Readonly<Record<string, ModelSpec>>
  /** Names of tools that the embedding program brings. */
  readonly customTools?: readonly string[]
}
