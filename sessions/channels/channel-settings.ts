import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Config } from "../../contracts/config/config.ts"
import { deliveryPolicyOf } from "../../domain/delivery/delivery-policy.ts"
import { hourMs } from "../../domain/text/duration.ts"
import type { NewBinding } from "../../store/store.ts"

export type ChannelConfig = Config["channels"][string]

/** Returns the settings of a channel. @throws AdjutantError `channel_not_found` */
export const requireChannel = (config: Config, name: string): ChannelConfig => {
  const channel = Object.hasOwn(config.channels, name) ? config.channels[name] : undefined
  if (channel !== undefined) return channel
  const names = Object.keys(config.channels)
  throw new AdjutantError(
    "channel_not_found",
    `there is no channel ${name.slice(0, 64)}; configured: ${names.join(", ") || "none"}`,
  )
}

/** Returns the given channel, or the only one. @throws AdjutantError `channel_not_found` */
export const chooseChannel = (config: Config, name: string | undefined): string => {
  if (name !== undefined) {
    requireChannel(config, name)
    return name
  }
  const names = Object.keys(config.channels)
  const [only] = names
  if (only !== undefined && names.length === 1) return only
  throw new AdjutantError(
    "channel_not_found",
    names.length === 0
      ? "no channel is configured: add one to channels in the configuration"
      : `several channels are configured: choose one of ${names.join(", ")}`,
  )
}

/** Returns the settings of a new binding to a channel. */
export const bindingSettings = (
  config: Config,
  channel: ChannelConfig,
): Pick<NewBinding, "outbound" | "idleMs" | "maxAgeMs"> => {
  const { idleHours, maxAgeHours, spawnSubagentSessions } = channel.threadBindings
  return {
    outbound: {
      url: channel.outboundUrl,
      secretEnv: channel.secretEnv,
      spawnSubagentSessions,
      policy: deliveryPolicyOf(config.timing),
    },
    idleMs: Math.round(idleHours * hourMs),
    maxAgeMs: Math.round(maxAgeHours * hourMs),
  }
}
