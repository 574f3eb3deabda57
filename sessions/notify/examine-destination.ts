import type { DestinationAt, NotifyDestination } from "../../contracts/config/notify.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { secretEnvOf } from "../../domain/notify/notice-request.ts"
import { ntfyTopics } from "../../domain/notify/services/ntfy.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { outgoing } from "../../network/outgoing.ts"
import { jsonOf } from "./ask-service.ts"

const examineTimeoutMs = 10_000

/** What a service answers to a question without side effects. */
interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

const ask = async (url: string, headers: Readonly<Record<string, string>>): Promise<Answer> => {
  const response = await outgoing(url, {
    headers: { ...headers },
    redirect: "manual",
    signal: AbortSignal.timeout(examineTimeoutMs),
  })
  const body = jsonOf(await response.text())
  return { status: response.status, headers: response.headers, body: isRecord(body) ? body : {} }
}

const bearer = (token: string): Record<string, string> => (token === "" ? {} : { authorization: `Bearer ${token}` })

const examineSlack = async (
  { apiUrl = "https://slack.com/api", channel }: DestinationAt<"slack">,
  token: string,
): Promise<string | undefined> => {
  const test = await ask(`${apiUrl}/auth.test`, bearer(token))
  if (test.body["ok"] !== true)
    return `Slack does not accept the token (${typeof test.body["error"] === "string" ? test.body["error"] : test.status})`
  const scopes = test.headers.get("x-oauth-scopes")?.split(/,\s*/)
  if (scopes !== undefined && !scopes.includes("chat:write")) return "the token lacks the scope chat:write"
  const { body } = await ask(`${apiUrl}/conversations.info?channel=${encodeURIComponent(channel)}`, bearer(token))
  // Without the scope to look at channels, nothing is known of this one.
  if (body["ok"] !== true)
    return body["error"] === "channel_not_found" ? `there is no channel ${channel} that the bot can see` : undefined
  return isRecord(body["channel"]) && body["channel"]["is_member"] === false
    ? `the bot is not in the channel ${channel}: invite it`
    : undefined
}

const examineTelegram = async (
  { apiUrl = "https://api.telegram.org", chatId }: DestinationAt<"telegram">,
  token: string,
): Promise<string | undefined> => {
  const me = await ask(`${apiUrl}/bot${token}/getMe`, {})
  if (me.body["ok"] !== true) return `Telegram does not accept the token (${me.status})`
  const chat = await ask(`${apiUrl}/bot${token}/getChat?chat_id=${chatId}`, {})
  if (chat.body["ok"] !== true) return `the bot cannot reach the chat ${chatId}: write to it there first`
  const hook = await ask(`${apiUrl}/bot${token}/getWebhookInfo`, {})
  const url = isRecord(hook.body["result"]) ? hook.body["result"]["url"] : undefined
  return typeof url === "string" && url !== ""
    ? "the bot has a webhook, so that the presses of its buttons cannot be read: remove the webhook, or use another bot"
    : undefined
}

const examineGithub = async (
  { apiUrl = "https://api.github.com", repository, issue }: DestinationAt<"github">,
  token: string,
): Promise<string | undefined> => {
  const headers = { ...bearer(token), accept: "application/vnd.github+json", "user-agent": "adjutant" }
  const { status } = await ask(`${apiUrl}/repos/${repository}/issues/${issue}`, headers)
  if (status === 401) return "GitHub does not accept the token"
  if (status === 404) return `there is no issue ${issue} in ${repository} that the token can see`
  return status === 200 ? undefined : `GitHub answered ${status}`
}

const examineNtfy = async (destination: DestinationAt<"ntfy">, token: string): Promise<string | undefined> => {
  const { origin, topic, reply } = ntfyTopics(destination)
  for (const each of destination.person === undefined ? [topic] : [topic, reply]) {
    const { status } = await ask(`${origin}/${each}/json?poll=1&since=latest`, bearer(token))
    if (status === 401 || status === 403) return `ntfy does not let the token read the topic ${each} (${status})`
    if (status !== 200) return `ntfy answered ${status} for the topic ${each}`
  }
  return undefined
}

/**
 * Returns what a destination lacks, as far as its service can be asked without side effects; undefined: nothing is known to be wrong. Rejects if the
 * service cannot be reached.
 */
export const examineDestination = async (
  destination: NotifyDestination,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> => {
  const variable = secretEnvOf(destination)
  const token = env[variable]?.trim() ?? ""
  if (variable !== "" && token === "") return `${variable} is not set`
  switch (destination.type) {
    case "slack":
      return await examineSlack(destination, token)
    case "telegram":
      return await examineTelegram(destination, token)
    case "github":
      return await examineGithub(destination, token)
    case "ntfy":
      return await examineNtfy(destination, token)
    case "webhook":
      return undefined
    default:
      return assertNever(destination)
  }
}
