import { type Config, configSchema } from "../contracts/config/config.ts"
import { timingSchema } from "../contracts/config/timing.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { parseJson } from "../domain/text/json/parse-json.ts"
import { isRecord } from "../domain/text/is-record.ts"
import { findProject, type Project } from "./find-project.ts"
import type { LoadedConfig } from "./loaded-config.ts"
import { modelSpecs } from "./models/model-specs.ts"
import { readConfig, shownName } from "./read-config.ts"
import { adoptSecretFiles, type MutableEnvironment } from "./secrets/secret-files.ts"
import { secretEnvNames } from "./secrets/secrets.ts"
import { chooseDataDir, type DataDirRequest } from "./data-dir/choose-data-dir.ts"
import { requireTrust, type TrustOptions } from "./trust/require-trust.ts"

export interface LoadConfigOptions extends DataDirRequest {
  /** `--config`. */
  readonly configPath?: string
  /** Gets the values of secrets that are in files (`NAME_FILE`). */
  readonly env: MutableEnvironment
  /** What is done about a configuration of the project that is not trusted. By default, it is refused. */
  readonly trust?: TrustOptions
}

const configOf = async (project: Project, { cwd, env, trust }: LoadConfigOptions): Promise<Config> => {
  const { configPath, projectRoot, isNamed } = project
  if (configPath === null) return configSchema.parse({})
  const { config, source } = await readConfig(configPath, cwd)
  if (!isNamed) await requireTrust({ configPath, projectRoot, config, source, env }, shownName(cwd, configPath), trust)
  return config
}

/** Returns a value, or undefined if the text is not JSON. */
const parsed = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Tests of whole processes shorten waits that are constants in the configuration. */
const withTestTiming = (config: Config, { ADJUTANT_TEST_TIMING: given }: MutableEnvironment): Config => {
  if (given === undefined || given === "") return config
  const waits = parsed(given)
  const timing = timingSchema.strict().safeParse({ ...config.timing, ...(isRecord(waits) ? waits : { waits }) })
  if (!timing.success)
    throw new AdjutantError(
      "invalid_config",
      "ADJUTANT_TEST_TIMING is for tests, and has to be a JSON object of waits: unset it",
    )
  return { ...config, timing: timing.data }
}

/**
 * Reads the configuration and prepares the data directory. Files named `.env` are not read. Rejects with `invalid_config` (file, line and
 * key in the message), `config_not_trusted` or `data_dir_unusable`.
 */
export const loadConfig = async (options: LoadConfigOptions): Promise<LoadedConfig> => {
  const project = await findProject(options)
  const { configPath, projectRoot } = project
  const config = withTestTiming(await configOf(project, options), options.env)
  adoptSecretFiles(options.env, secretEnvNames(config))
  const specs = modelSpecs({ config, env: options.env, projectRoot })
  const dataDir = await chooseDataDir(options)
  return { config, configPath, projectRoot, dataDir, ...specs }
}
