import { assertNever } from "../../../domain/assert-never.ts"
import type { MessageDestination } from "../../../domain/notify/destination.ts"
import type { Irreplaceable, NoticeAnswer, NoticeSending, StoredNotice } from "../../../domain/notify/notice.ts"
import { ntfyRequest } from "../../../domain/notify/services/ntfy.ts"
import { telegramRequest } from "../../../domain/notify/services/telegram.ts"
import { askService } from "./ask-service.ts"
import { sendEmail } from "./send-email.ts"
import { sendToGithub } from "./send-github.ts"
import { sendToSlack } from "./send-slack.ts"

interface SentNotice {
  readonly stored: StoredNotice
  readonly destination: MessageDestination
  readonly sending: NoticeSending
}

const sendOnce = async (
  { stored, destination, sending }: SentNotice,
  signal: AbortSignal,
): Promise<NoticeAnswer | Irreplaceable> => {
  switch (destination.type) {
    case "ntfy":
      return await askService(ntfyRequest(stored, destination, sending), signal)
    case "telegram":
      return await askService(telegramRequest(stored, destination, sending), signal)
    case "slack":
      return await sendToSlack({ stored, destination, sending }, signal)
    case "github":
      return await sendToGithub({ stored, destination, sending }, signal)
    case "email":
      return await sendEmail({ stored, destination, sending }, signal)
    default:
      return assertNever(destination)
  }
}

/** Sends a message to its service, in place of an earlier one if the service can still replace that. Rejects if the service cannot be reached. */
export const sendNotice = async (notice: SentNotice, signal: AbortSignal): Promise<NoticeAnswer> => {
  const answer = await sendOnce(notice, signal)
  if (answer.kind !== "irreplaceable") return answer
  const { receipt: _irreplaceable, ...asNew } = notice.sending
  const posted = await sendOnce({ ...notice, sending: asNew }, signal)
  return posted.kind === "irreplaceable" ? { kind: "delivered" } : posted
}
