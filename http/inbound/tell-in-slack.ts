import type { Config } from "../../contracts/config/config.ts"
import { outgoing } from "../../network/outgoing.ts"

const tellTimeoutMs = 5_000
const slackOrigin = "https://hooks.slack.com"

/** Returns whether an address for replies is one of Slack, or of the address that the configuration names in its place. */
const isOfSlack = (url: string, { notify }: Pick<Config, "notify">): boolean => {
  const origin = URL.parse(url)?.origin
  const own = Object.values(notify).flatMap((each) => (each.type === "slack" ? (each.apiUrl ?? []) : []))
  return origin === slackOrigin || own.some((address) => new URL(address).origin === origin)
}

/** Says to the person who pressed a button, and to nobody else, why nothing was decided. Best effort: the press was refused. */
export const tellInSlack = async (url: string, reason: string, config: Pick<Config, "notify">): Promise<void> => {
  if (!isOfSlack(url, config)) return
  const message = { response_type: "ephemeral", replace_original: false, text: `No decision was made: ${reason}.` }
  try {
    const response = await outgoing(url, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(tellTimeoutMs),
    })
    await response.body?.cancel()
  } catch {
    // Slack shows that the press failed.
  }
}
