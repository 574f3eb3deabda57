import type { WebClient } from "@slack/web-api"
import type { DestinationAt } from "../../../contracts/config/notify.ts"
import type { Irreplaceable, NoticeAnswer, NoticeSending, StoredNotice } from "../../../domain/notify/notice.ts"
import { asRepeat } from "../../../domain/notify/notice-text.ts"
import { readSlackError, slackEvent, slackMessage } from "../../../domain/notify/services/slack.ts"
import { isRecord } from "../../../domain/text/is-record.ts"
import { slackCallError, slackClient } from "./slack-client.ts"

/** Returns what a failed call means. Rejects if Slack was not reached. */
const readFailure = (error: unknown, isUpdate: boolean): NoticeAnswer | Irreplaceable => {
  const failure = slackCallError(error)
  switch (failure?.code) {
    case "slack_webapi_rate_limited_error":
      return { kind: "again", reason: "Slack answered 429", retryAfterMs: failure.retryAfter * 1_000 }
    case "slack_webapi_http_error":
      return { kind: failure.statusCode >= 500 ? "again" : "permanent", reason: `Slack answered ${failure.statusCode}` }
    case "slack_webapi_platform_error":
      return readSlackError(failure.data.error.slice(0, 100), isUpdate)
    case "slack_webapi_request_error":
      throw failure.original
    default:
      throw error
  }
}

/** Without these scopes, a bot cannot read what it has posted. */
const cannotRead: ReadonlySet<string> = new Set(["missing_scope", "not_in_channel", "channel_not_found"])

/** Returns the time of the message that an earlier try has posted; undefined if there is none, `unknown` if the bot may not read the channel. */
const findPosted = async (
  client: WebClient,
  channel: string,
  { key, thread, mayBeThereSince = "" }: NoticeSending,
): Promise<{ readonly ts: string } | "unknown" | undefined> => {
  const oldest = String(Date.parse(mayBeThereSince) / 1_000)
  const place = { channel, oldest, include_all_metadata: true, limit: 200 }
  const pages =
    thread === undefined
      ? client.paginate("conversations.history", place)
      : client.paginate("conversations.replies", { ...place, ts: thread })
  try {
    for await (const page of pages) {
      const messages = "messages" in page && Array.isArray(page.messages) ? page.messages : []
      for (const message of messages) {
        const metadata = isRecord(message) ? message["metadata"] : undefined
        const payload = isRecord(metadata) && metadata["event_type"] === slackEvent ? metadata["event_payload"] : {}
        if (isRecord(payload) && payload["key"] === key) return { ts: String(message.ts) }
      }
    }
    return undefined
  } catch (error) {
    const failure = slackCallError(error)
    if (failure?.code === "slack_webapi_platform_error" && cannotRead.has(failure.data.error)) return "unknown"
    throw error
  }
}

const post = async (client: WebClient, { stored, destination, sending }: SlackSending): Promise<NoticeAnswer> => {
  const { key, thread, mayBeThereSince } = sending
  const found = mayBeThereSince === undefined ? undefined : await findPosted(client, destination.channel, sending)
  if (found !== undefined && found !== "unknown") return { kind: "delivered", receipt: found.ts }
  const message = slackMessage(found === "unknown" ? asRepeat(stored) : stored, destination, key)
  const { ts } = await client
    .apiCall("chat.postMessage", {
      ...{ ...message, unfurl_links: false },
      ...(thread === undefined ? {} : { thread_ts: thread }),
    })
    .then(timeOf)
  return { kind: "delivered", ...(ts === undefined ? {} : { receipt: ts }) }
}

const timeOf = (result: object): { readonly ts?: string | undefined } => ({
  ts: "ts" in result && typeof result.ts === "string" ? result.ts : undefined,
})

interface SlackSending {
  readonly stored: StoredNotice
  readonly destination: DestinationAt<"slack">
  readonly sending: NoticeSending
}

/** Posts a message in the thread of its task, or replaces it. Rejects if Slack cannot be reached. */
export const sendToSlack = async (slack: SlackSending, signal: AbortSignal): Promise<NoticeAnswer | Irreplaceable> => {
  const { stored, destination, sending } = slack
  const client = await slackClient(destination, sending.secret, signal)
  const isUpdate = stored.update !== undefined && sending.receipt !== undefined
  try {
    if (!isUpdate) return await post(client, slack)
    await client.apiCall("chat.update", { ...slackMessage(stored, destination, sending.key), ts: sending.receipt })
    return { kind: "delivered" }
  } catch (error) {
    return readFailure(error, isUpdate)
  }
}
