import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { DestinationAt, NotifyDestination } from "../../contracts/config/notify.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { secretEnvOf } from "../../domain/notify/destination.ts"
import { ntfyTopics } from "../../domain/notify/services/ntfy.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { outgoing } from "../../network/outgoing.ts"
import { jsonOf } from "./send/ask-service.ts"
import { githubClient, githubFailure } from "./send/github-client.ts"
import { mailTransport } from "./send/mail-transport.ts"
import { readMailFailure } from "./send/send-email.ts"
import { slackCallError, slackClient } from "./send/slack-client.ts"

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

const examineSlack = async (destination: DestinationAt<"slack">, token: string): Promise<string | undefined> => {
  const { channel } = destination
  const client = await slackClient(destination, token, AbortSignal.timeout(examineTimeoutMs))
  const test = await slackAnswer(client.auth.test())
  if ("error" in test) return `Slack does not accept the token (${test.error})`
  const scopes = test.answer.response_metadata?.scopes
  if (scopes !== undefined && !scopes.includes("chat:write")) return "the token lacks the scope chat:write"
  const info = await slackAnswer(client.conversations.info({ channel }))
  // The token may not look at channels, so nothing is known about this one.
  if ("error" in info)
    return info.error === "channel_not_found" ? `there is no channel ${channel} that the bot can see` : undefined
  const { is_member: isMember, is_archived: isArchived } = info.answer.channel ?? {}
  if (isArchived === true) return `the channel ${channel} is archived: choose another one`
  return isMember === false ? `the bot is not in the channel ${channel}: invite it` : undefined
}

/** Returns the answer of Slack, or the error that it answered. Rejects if Slack was not reached. */
const slackAnswer = async <Given>(
  call: Promise<Given>,
): Promise<{ readonly answer: Given } | { readonly error: string }> => {
  try {
    return { answer: await call }
  } catch (error) {
    const failure = slackCallError(error)
    if (failure?.code === "slack_webapi_platform_error") return { error: failure.data.error }
    if (failure?.code === "slack_webapi_http_error") return { error: String(failure.statusCode) }
    throw error
  }
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

/** A classic token writes comments if it has one of these scopes. Other kinds of tokens have no scopes. */
const commentScopes = ["repo", "public_repo"]

const examineGithub = async (destination: DestinationAt<"github">, token: string): Promise<string | undefined> => {
  const { repository, issue } = destination
  const [owner = "", repo = ""] = repository.split("/")
  const { rest } = await githubClient(destination, token, AbortSignal.timeout(examineTimeoutMs))
  try {
    const { data, headers } = await rest.repos.get({ owner, repo })
    const scopes = headers["x-oauth-scopes"]?.split(/,\s*/)
    if (scopes !== undefined && !commentScopes.some((scope) => scopes.includes(scope)))
      return "the token lacks the scope repo, or public_repo for a public repository"
    if (data.archived) return `${repository} is archived: nobody can write comments there`
    await rest.issues.get({ owner, repo, issue_number: issue })
    return undefined
  } catch (error) {
    const { status } = githubFailure(error)
    if (status === 401) return "GitHub does not accept the token"
    return status === 404 || status === 410
      ? `there is no issue ${issue} in ${repository} that the token can see`
      : `GitHub answered ${status}`
  }
}

const examineEmail = async (smtpUrl: string): Promise<string | undefined> => {
  try {
    const transport = await mailTransport(smtpUrl, examineTimeoutMs)
    await transport.verify()
    return undefined
  } catch (error) {
    if (isAdjutantError(error)) return error.message
    const answer = readMailFailure(error)
    return answer.kind === "delivered" ? undefined : answer.reason
  }
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
    case "email":
      return await examineEmail(token)
    case "webhook":
      return undefined
    default:
      return assertNever(destination)
  }
}
