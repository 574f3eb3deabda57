import type { Config } from "../contracts/config/config.ts"
import type { DetectOptions } from "../tools/sandbox/detect-sandbox.ts"

/** What the configuration says of sandboxes, as detection takes it. */
export type SandboxSettings = Pick<DetectOptions, "backends" | "allowedDomains" | "dockerImage">

export const sandboxSettingsOf = ({ security }: Config): SandboxSettings => ({
  backends: security.sandboxBackends,
  allowedDomains: security.allowedDomains,
  ...(security.dockerImage === undefined ? {} : { dockerImage: security.dockerImage }),
})
