import { readFile, stat } from "node:fs/promises"
import { isAbsolute, join, relative, resolve } from "node:path"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { type Config, configSchema } from "../contracts/config/config.ts"
import { envValue } from "./environment.ts"
import { findProject } from "./find-project.ts"
import type { LoadedConfig } from "./loaded-config.ts"
import { modelSpecs } from "./models/model-specs.ts"
import { parseConfig } from "./parse-config.ts"
import { adoptSecretFiles, type MutableEnvironment } from "./secrets/secret-files.ts"
import { secretEnvNames } from "./secrets/secrets.ts"
import { dataDirName } from "../domain/workspace/data-directory.ts"
import { prepareDataDir } from "./data-dir/prepare-data-dir.ts"

const maxConfigBytes = 4 * 1024 * 1024

/** Returns the path of a file as a person in the working directory would write it. */
const shownName = (cwd: string, path: string): string => {
  const way = relative(cwd, path)
  return way.startsWith("..") || isAbsolute(way) ? path : way
}

const readConfig = async (configPath: string | null, cwd: string): Promise<Config> => {
  if (configPath === null) return configSchema.parse({})
  const name = shownName(cwd, configPath)
  const found = await stat(configPath).catch((error: unknown) => {
    throw new AdjutantError("invalid_config", `the configuration file ${name} does not exist`, { cause: error })
  })
  if (!found.isFile()) throw new AdjutantError("invalid_config", `${name} is not a file`)
  if (found.size > maxConfigBytes) throw new AdjutantError("invalid_config", `${name} is larger than 4 MiB`)
  const source = await readFile(configPath, "utf8").catch((error: unknown) => {
    throw new AdjutantError("invalid_config", `the configuration file ${name} cannot be read`, { cause: error })
  })
  return parseConfig(source, name)
}

export interface LoadConfigOptions {
  /** Working directory: where the search for the configuration starts, and to which relative paths refer. */
  readonly cwd: string
  /** `--config`. */
  readonly configPath?: string
  /** `--data-dir`. */
  readonly dataDir?: string
  /** Gets the values of secrets that are in files (`NAME_FILE`). */
  readonly env: MutableEnvironment
}

/**
 * Reads the configuration and prepares the data directory. Files named `.env` are not read. Rejects with `invalid_config` (file, line and
 * key in the message) or `data_dir_unusable`.
 */
export const loadConfig = async (options: LoadConfigOptions): Promise<LoadedConfig> => {
  const { configPath, projectRoot } = await findProject(options)
  const config = await readConfig(configPath, options.cwd)
  adoptSecretFiles(options.env, secretEnvNames(config))
  const specs = modelSpecs({ config, env: options.env, projectRoot })
  const named = options.dataDir ?? envValue(options.env, "ADJUTANT_DATA_DIR")
  const dataDir = await prepareDataDir(
    named === undefined ? join(projectRoot, dataDirName) : resolve(options.cwd, named),
  )
  return { config, configPath, projectRoot, dataDir, ...specs }
}
