import type { LoadedConfig } from "../../config/loaded-config.ts"
import { providerLimitsOf } from "../../config/models/provider-limits.ts"
import { workerPolicyOf } from "../../domain/approval/worker-policy.ts"
import { dailyCapsOf } from "../../domain/limits/daily-limits.ts"
import type { WorkerSurroundings } from "../create-dependencies.ts"
import { sandboxSettingsOf } from "../detect-sandbox.ts"

/** What a worker's surroundings have from a configuration and an environment. */
export type ConfiguredSurroundings = Pick<
  WorkerSurroundings,
  | "configPath"
  | "config"
  | "env"
  | "timing"
  | "allowBinaryAgents"
  | "workerPolicy"
  | "dailyCaps"
  | "retention"
  | "providerLimits"
  | "sandboxes"
>

export const configuredSurroundings = (
  loaded: LoadedConfig,
  env: WorkerSurroundings["env"],
): ConfiguredSurroundings => {
  const { config, configPath, dataDir, models } = loaded
  return {
    configPath,
    config: { ...config, models },
    env,
    timing: config.timing,
    allowBinaryAgents: config.security.allowBinaryAgents,
    workerPolicy: workerPolicyOf(config),
    dailyCaps: dailyCapsOf(config),
    retention: config.retention,
    providerLimits: providerLimitsOf(loaded),
    sandboxes: sandboxSettingsOf(config, { env, dataDir }),
  }
}
