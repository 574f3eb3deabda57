import { loadConfig, type LoadConfigOptions } from "../config/load-config.ts"
import type { LoadedConfig } from "../config/loaded-config.ts"

interface ProgramConfig {
  readonly trust?: boolean
  readonly customTools?: readonly string[]
}

const confinesCommands = async () => (await import("../worker/detect-sandbox.ts")).confinesCommands()

/** Loads the configuration that a program uses, with the names of its own tools. A refusal says what the program can do. */
export const loadProgramConfig = async ({
  trust: isGiven,
  customTools,
  ...place
}: ProgramConfig & Pick<LoadConfigOptions, "cwd" | "env" | "configPath" | "dataDir">): Promise<LoadedConfig> => {
  const loaded = await loadConfig({ ...place, trust: { isGiven, confinesCommands, surface: { kind: "library" } } })
  return customTools === undefined ? loaded : { ...loaded, customTools }
}
