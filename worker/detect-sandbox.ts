import type { Config } from "../contracts/config/config.ts"
import { detectSandbox } from "../tools/sandbox/detect-sandbox.ts"
import { sandboxSettingsOf } from "./sandbox-settings.ts"

/** For `adjutant doctor`, which shows what this machine's workers would use. */
export { detectSandbox, surveySandboxes } from "../tools/sandbox/detect-sandbox.ts"
export { sandboxSettingsOf } from "./sandbox-settings.ts"

/** @throws AdjutantError `sandbox_unavailable`, with the reason of every backend, where this machine's workers could confine nothing */
export const requireSandbox = async (config: Config): Promise<void> => {
  const sandbox = await detectSandbox("require", sandboxSettingsOf(config))
  await sandbox.close?.()
}
