import { type Config, configSchema } from "../contracts/config/config.ts"
import { type DetectOptions, detectSandbox } from "../tools/sandbox/detect-sandbox.ts"

/** The sandbox settings of the configuration, for the detection. */
export type SandboxSettings = Pick<DetectOptions, "backends" | "allowedDomains" | "dockerImage" | "resources" | "view">

/** Returns the settings for commands of a user with an environment, in the project of a data directory. */
export const sandboxSettingsOf = (
  { security }: Config,
  place: Pick<NonNullable<DetectOptions["view"]>, "env" | "dataDir">,
): SandboxSettings => ({
  backends: security.sandboxBackends,
  allowedDomains: [...security.allowedDomains, ...security.sandbox.network],
  resources: security.limits,
  view: {
    ...place,
    read: security.sandbox.read,
    write: security.sandbox.write,
    toolchains: security.sandbox.toolchains === "auto",
  },
  ...(security.dockerImage === undefined ? {} : { dockerImage: security.dockerImage }),
})

/** Exported for `adjutant doctor`, which shows what this machine's workers would use. */
export { detectSandbox, surveySandboxes } from "../tools/sandbox/detect-sandbox.ts"

/** What a project was trusted with must not seem to have changed because the machine is busy: the trial gets far longer than it needs. */
const trustTrialMs = 60_000

/**
 * Returns whether this machine's workers confine commands if a configuration sets nothing else. It tries no setting of a configuration: that may
 * not be trusted.
 */
export const confinesCommands = async (): Promise<boolean> => {
  const settings = sandboxSettingsOf(configSchema.parse({}), { env: {} })
  const sandbox = await detectSandbox("auto", { ...settings, trialTimeoutMs: trustTrialMs })
  await sandbox.close?.()
  return sandbox.confined
}

/** Requires that this machine's workers have a sandbox. @throws AdjutantError `sandbox_unavailable`, with the reason of every backend */
export const requireSandbox = async (config: Config): Promise<void> => {
  const sandbox = await detectSandbox("require", sandboxSettingsOf(config, { env: {} }))
  await sandbox.close?.()
}
