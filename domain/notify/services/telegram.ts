import type { DestinationAt } from "../../../contracts/config/notify.ts"
import { isRecord } from "../../text/is-record.ts"
import type { NoticeRequest, NoticeSending, StoredNotice } from "../notice.ts"
import { asRepeat, noticeText, noticeTitle } from "../notice-text.ts"

const maxText = 3_900
const maxTitle = 200

/** Telegram's limit for the data of a button is 64 bytes: it names the delivery, whose pause it decides. */
const keyboard = (key: string) => ({
  inline_keyboard: [
    [
      { text: "Approve", callback_data: `accept ${key}` },
      { text: "Reject", callback_data: `reject ${key}` },
    ],
  ],
})

const read: NoticeRequest["read"] = ({ status, retryAfterMs, body }) => {
  const answer = isRecord(body) ? body : {}
  if (answer["ok"] === true) {
    const result = isRecord(answer["result"]) ? answer["result"] : {}
    const id = result["message_id"]
    return { kind: "delivered", ...(typeof id === "number" ? { receipt: String(id) } : {}) }
  }
  const description = typeof answer["description"] === "string" ? `: ${answer["description"].slice(0, 200)}` : ""
  const reason = `Telegram answered ${status}${description}`
  const parameters = isRecord(answer["parameters"]) ? answer["parameters"] : {}
  const seconds = parameters["retry_after"]
  const afterMs = typeof seconds === "number" ? seconds * 1_000 : retryAfterMs
  if (status === 429 || status >= 500)
    return { kind: "again", reason, ...(afterMs === undefined ? {} : { retryAfterMs: afterMs }) }
  if (/message is not modified/.test(description)) return { kind: "delivered" }
  if (/message can't be edited|message to edit not found/.test(description)) return { kind: "irreplaceable" }
  return { kind: "permanent", reason }
}

/** Returns the request that sends a message, or replaces it. */
export const telegramRequest = (
  written: StoredNotice,
  { apiUrl = "https://api.telegram.org", chatId }: DestinationAt<"telegram">,
  { key, secret, receipt, mayBeThereSince }: NoticeSending,
): NoticeRequest => {
  const isUpdate = written.update !== undefined && receipt !== undefined
  // A bot cannot read what it has sent: the reader is told that a message may be there twice.
  const stored = mayBeThereSince === undefined || isUpdate ? written : asRepeat(written)
  const asks = stored.update === undefined && stored.notice.kind === "approval"
  return {
    url: `${apiUrl}/bot${secret}/${isUpdate ? "editMessageText" : "sendMessage"}`,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      chat_id: chatId,
      text: `${noticeTitle(stored, maxTitle)}\n\n${noticeText(stored, maxText - maxTitle)}`,
      link_preview_options: { is_disabled: true },
      ...(isUpdate ? { message_id: Number(receipt) } : {}),
      ...(asks ? { reply_markup: keyboard(key) } : {}),
    }),
    read,
  }
}
