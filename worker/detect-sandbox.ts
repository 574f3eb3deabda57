import type { Config } from "../contracts/config/config.ts"
import { type DetectOptions, detectSandbox } from "../tools/sandbox/detect-sandbox.ts"

/** What the configuration says of sandboxes, as detection takes it. */
export type SandboxSettings = Pick<DetectOptions, "backends" | "allowedDomains" | "dockerImage">

export const sandboxSettingsOf = ({ security }: Config): SandboxSettings => ({
  backends: security.sandboxBackends,
  allowedDomains: security.allowedDomains,
  ...(security.dockerImage === undefined ? {} : { dockerImage: security.dockerImage }),
})

/** For `adjutant doctor`, which shows what this machine's workers would use. */
export { detectSandbox, surveySandboxes } from "../tools/sandbox/detect-sandbox.ts"

/** @throws AdjutantError `sandbox_unavailable`, with the reason of every backend, where this machine's workers could confine nothing */
export const requireSandbox = async (config: Config): Promise<void> => {
  const sandbox = await detectSandbox("require", sandboxSettingsOf(config))
  await sandbox.close?.()
}
