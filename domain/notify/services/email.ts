import type { DestinationAt } from "../../../contracts/config/notify.ts"
import { startOf } from "../../text/foreign/well-formed.ts"
import type { NoticeAnswer, NoticeSending, StoredNotice } from "../notice.ts"
import { longestText, noticeText, noticeTitle } from "../notice-text.ts"

const maxSubject = 200

/** Returns the id of a message, which is the same with every try: mailboxes show repeated messages as one. */
const emailId = (key: string, { from }: DestinationAt<"email">): string => `<${key}@${from.split("@").at(-1) ?? ""}>`

/** Returns the message to those who do not have it yet, as a reply to the first one about its task. */
export const emailMessage = (
  stored: StoredNotice,
  destination: DestinationAt<"email">,
  { key, receipt, thread, reached = [] }: NoticeSending,
) => {
  const before = receipt ?? thread
  return {
    from: destination.from,
    to: destination.to.filter((address) => !reached.includes(address)),
    subject: noticeTitle(stored, maxSubject),
    text: noticeText(stored, longestText),
    messageId: emailId(key, destination),
    headers: { "Auto-Submitted": "auto-generated" },
    ...(before === undefined ? {} : { inReplyTo: before, references: before }),
  }
}

/** A refusal of a mail server: its code, and whose mail it refused. */
export interface MailRefusal {
  readonly code: number
  readonly text: string
}

/** Returns what a refusal means: one with a code below 500 passes, such as greylisting. */
export const readMailRefusal = ({ code, text }: MailRefusal): NoticeAnswer => ({
  kind: code < 500 ? "again" : "permanent",
  reason: `the mail server answered ${startOf(text, 200)}`,
})
