import type { Config } from "../../contracts/config/config.ts"
import type { InboundWebhook } from "./inbound-command.ts"
import { type InboundRequest, requireSecret } from "./inbound-request.ts"
import { readGithub } from "./read-github.ts"
import { readSlack } from "./read-slack.ts"
import { readStandard } from "./read-standard.ts"

export interface InboundHook {
  readonly name: string
  readonly hook: Config["inbound"][string]
  readonly secret: string
}

/** Returns the configured webhooks by name, with their secrets. @throws AdjutantError `invalid_config` if a secret is not set */
export const inboundHooks = (
  inbound: Config["inbound"],
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, InboundHook> =>
  new Map(
    Object.entries(inbound).map(([name, hook]) => {
      const { secretEnv } = hook
      return [
        name,
        { name, hook, secret: requireSecret(env, { secretEnv, setting: `inbound.${name}`, kind: "webhook" }) },
      ]
    }),
  )

/** Verifies and parses a webhook in its sender's format. @throws AdjutantError `unauthorized`, `invalid_json`, `invalid_argument` */
export const readInbound = (
  { name, hook, secret }: InboundHook,
  request: InboundRequest,
  nowMs: number,
): InboundWebhook => {
  switch (hook.type) {
    case "github":
      return readGithub(request, secret, { hook, nowMs })
    case "slack":
      return readSlack(request, secret, { approvers: hook.approvers, nowMs })
    case "standard":
      return readStandard(request, secret, name)
  }
}
