import { loadConfig, type LoadConfigOptions } from "../../config/load-config.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { trustOptions } from "../trust/trust-options.ts"
import type { HostOptions } from "./cli-context.ts"
import type { HostContext } from "./command.ts"

/** Loads the configuration that a command uses. `place` replaces the working directory and the options of the process. */
export const loadHostConfig = (
  context: HostContext,
  { place, ...reading }: Pick<HostOptions, "place"> & Pick<LoadConfigOptions, "isReading"> = {},
): Promise<LoadedConfig> => {
  const { env, cwd, options } = context
  const used = place ?? { cwd, config: options.config, dataDir: options.dataDir }
  const trust = trustOptions(context)
  return loadConfig({ cwd: used.cwd, configPath: used.config, dataDir: used.dataDir, env, trust, ...reading })
}
