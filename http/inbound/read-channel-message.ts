import type { Config } from "../../contracts/config/config.ts"
import { type ChannelMessage, channelMessageSchema } from "../../contracts/http/channels.ts"
import { type InboundRequest, parseBody, requireSecret } from "./inbound-request.ts"
import { verifyStandard } from "./verify-standard.ts"

/** Returns the signing secrets by channel. @throws AdjutantError `invalid_config` if one is not set */
export const channelSecrets = (
  channels: Config["channels"],
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, () => string> =>
  new Map(
    Object.entries(channels).map(([name, { secretEnv }]) => [
      name,
      requireSecret(env, { secretEnv, setting: `channels.${name}`, kind: "channel" }),
    ]),
  )

/** Verifies and parses a message from a channel. @throws AdjutantError `unauthorized`, `invalid_json`, `invalid_argument` */
export const readChannelMessage = (request: InboundRequest, secret: string): ChannelMessage => {
  verifyStandard(request, secret)
  return parseBody(channelMessageSchema, request)
}
