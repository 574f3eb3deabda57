import type { Config } from "../../contracts/config/config.ts"
import type { People } from "../../domain/people/person.ts"
import type { InboundWebhook } from "./inbound-command.ts"
import { type InboundRequest, requireSecret } from "./inbound-request.ts"
import { readGithub } from "./read-github.ts"
import { readSlack } from "./read-slack.ts"
import { readStandard } from "./read-standard.ts"

export interface InboundHook {
  readonly name: string
  readonly hook: Config["inbound"][string]
  readonly secret: () => string
}

/** Returns a webhook whose approvers are named as its sender names them: people by their own account there, the others as they are. */
const withPeople = (hook: InboundHook["hook"], people: People): InboundHook["hook"] => {
  if (hook.type === "standard") return hook
  const { type } = hook
  const approvers = hook.approvers.flatMap((name) =>
    Object.hasOwn(people, name) ? (people[name]?.[type] ?? []) : [name],
  )
  return { ...hook, approvers }
}

/** Returns the configured webhooks by name, with their secrets. @throws AdjutantError `invalid_config` if a secret is not set */
export const inboundHooks = (
  inbound: Config["inbound"],
  env: Readonly<Record<string, string | undefined>>,
  people: People = {},
): ReadonlyMap<string, InboundHook> =>
  new Map(
    Object.entries(inbound).map(([name, hook]) => {
      const { secretEnv } = hook
      return [
        name,
        {
          name,
          hook: withPeople(hook, people),
          secret: requireSecret(env, { secretEnv, setting: `inbound.${name}`, kind: "webhook" }),
        },
      ]
    }),
  )

/** Verifies and parses a webhook in its sender's format. @throws AdjutantError `unauthorized`, `invalid_json`, `invalid_argument` */
export const readInbound = (
  { name, hook, secret: presentSecret }: InboundHook,
  request: InboundRequest,
  nowMs: number,
): InboundWebhook => {
  const secret = presentSecret()
  switch (hook.type) {
    case "github":
      return readGithub(request, secret, { hook, nowMs })
    case "slack":
      return readSlack(request, secret, { approvers: hook.approvers, nowMs })
    case "standard":
      return readStandard(request, secret, name)
  }
}
