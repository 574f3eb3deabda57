import type { DestinationAt } from "../../../contracts/config/notify.ts"
import { startOf } from "../../text/foreign/well-formed.ts"
import type { Irreplaceable, NoticeAnswer, StoredNotice } from "../notice.ts"
import { callLines, noticeTitle } from "../notice-text.ts"

/** Limits of Block Kit: characters of a section's text, and blocks of a message. */
const maxSection = 2_900
const maxBlocks = 45
const maxHeader = 150

/** Characters with a meaning in Slack's texts. */
const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text: startOf(text, maxSection + 20) } })

/** A fence in the text itself would end the block. */
const code = (text: string) => section(`\`\`\`${startOf(escaped(text.replaceAll("```", "'''")), maxSection)}\`\`\``)

const buttons = ({ notice }: StoredNotice) => {
  const value = (action: "approve" | "reject") =>
    JSON.stringify({ task_id: notice.task.id, checkpoint_id: notice.checkpointId, action })
  const button = (label: string, action: "approve" | "reject", style: string) => ({
    ...{ type: "button", action_id: `adjutant_${action}`, style, value: value(action) },
    text: { type: "plain_text", text: label },
  })
  return {
    type: "actions",
    elements: [button("Approve", "approve", "primary"), button("Reject", "reject", "danger")],
  }
}

const blocksOf = (stored: StoredNotice, destination: DestinationAt<"slack">): readonly object[] => {
  const { notice, update } = stored
  const { text, calls, decidedBy, how, url } = notice
  const body = [
    ...(text === undefined ? [] : [code(text)]),
    ...calls.flatMap((call) => [
      code(callLines({ ...call, flags: [] }).join("\n")),
      ...call.flags.map((flag) => section(`:warning: ${escaped(flag)}`)),
    ]),
  ].slice(0, maxBlocks)
  const asks = update === undefined && notice.kind === "approval" && destination.inbound !== undefined
  const end = update === undefined ? [decidedBy, how] : [update.outcome]
  const lines = [...end, url].filter((line) => line !== undefined && line !== "").map((line) => escaped(String(line)))
  return [
    { type: "header", text: { type: "plain_text", text: noticeTitle(stored, maxHeader) } },
    ...body,
    ...(lines.length === 0 ? [] : [section(lines.join("\n"))]),
    ...(asks ? [buttons(stored)] : []),
  ]
}

/** Errors that pass by themselves. */
const passing: ReadonlySet<string> = new Set([
  "ratelimited",
  "rate_limited",
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
])

/** The message can no longer be replaced: what became of it is said in another one. */
const cannotUpdate: ReadonlySet<string> = new Set(["message_not_found", "cant_update_message", "edit_window_closed"])

const remedies: Readonly<Record<string, string>> = {
  missing_scope: "give the app the scope chat:write, and install it again",
  not_in_channel: "invite the bot to the channel",
  channel_not_found: "check the channel's id, and invite the bot to it",
  is_archived: "the channel is archived: choose another one",
  invalid_auth: "the token is not valid: create another one",
  token_revoked: "the token was revoked: create another one",
  account_inactive: "the bot was removed: install the app again",
}

/** Returns what an error of the Web API means. */
export const readSlackError = (error: string, isUpdate: boolean): NoticeAnswer | Irreplaceable => {
  if (passing.has(error)) return { kind: "again", reason: `Slack answered ${error}` }
  if (isUpdate && cannotUpdate.has(error)) return { kind: "irreplaceable" }
  const remedy = remedies[error]
  return { kind: "permanent", reason: `Slack answered ${error}${remedy === undefined ? "" : `: ${remedy}`}` }
}

/** The event of the metadata by which a message is found again. */
export const slackEvent = "adjutant_notice"

/** Returns the arguments of a message, for `chat.postMessage` and `chat.update`. */
export const slackMessage = (stored: StoredNotice, destination: DestinationAt<"slack">, key: string) => ({
  channel: destination.channel,
  text: noticeTitle(stored, maxSection),
  blocks: blocksOf(stored, destination),
  metadata: { event_type: slackEvent, event_payload: { key } },
})
