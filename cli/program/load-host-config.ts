import { loadConfig, type LoadConfigOptions } from "../../config/load-config.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { trustOptions } from "./trust-options.ts"
import type { CliContext } from "./cli-context.ts"
import { oneLine } from "../terminal/plain-text.ts"

/** Where a command that brings its own place works. */
export interface ConfigPlace {
  readonly cwd: string
  readonly config: string
  readonly dataDir: string
}

/** The commands that have said what they found: some load the configuration twice. */
const noticed = new WeakSet<object>()

/** Loads the configuration that a command uses. `place` replaces the working directory and the options of the process. */
export const loadHostConfig = (
  context: CliContext,
  { place, ...reading }: { readonly place?: ConfigPlace } & Pick<LoadConfigOptions, "isReading"> = {},
): Promise<LoadedConfig> => {
  const { env, cwd, options, confirm, io } = context
  const used = place ?? { cwd, config: options.config, dataDir: options.dataDir }
  const trust = trustOptions(context)
  const onNotice = (line: string): void => {
    if (!noticed.has(io)) io.stderr.write(`${oneLine(line, 500)}\n`)
    noticed.add(io)
  }
  return loadConfig({
    ...{ cwd: used.cwd, configPath: used.config, dataDir: used.dataDir, env, trust, onNotice },
    ...(confirm === undefined ? {} : { confirm: (question) => confirm(oneLine(question, 2_000)) }),
    ...reading,
  })
}
