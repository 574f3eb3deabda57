import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { DestinationAt } from "../../../contracts/config/notify.ts"
import type { NoticeAnswer, NoticeSending, StoredNotice } from "../../../domain/notify/notice.ts"
import { emailMessage, readMailRefusal } from "../../../domain/notify/services/email.ts"
import { mailFailure, mailTransport } from "./mail-transport.ts"

const mailTimeoutMs = 20_000

/** Returns what a failure means. Rejects if the mail server was not reached. */
export const readMailFailure = (error: unknown): NoticeAnswer => {
  const { responseCode, code, text } = mailFailure(error)
  if (responseCode !== undefined) return readMailRefusal({ code: responseCode, text })
  if (code === "ETLS")
    return { kind: "permanent", reason: "the mail server offers no TLS, without which no password is sent" }
  if (code === "EAUTH" || code === "ENOAUTH")
    return { kind: "permanent", reason: "the mail server does not accept the user and the password" }
  throw new Error("the mail server was not reached", { cause: error })
}

/** Sends a message to all its readers, or to those who do not have it yet. Rejects if the mail server cannot be reached. */
export const sendEmail = async (
  {
    stored,
    destination,
    sending,
  }: {
    readonly stored: StoredNotice
    readonly destination: DestinationAt<"email">
    readonly sending: NoticeSending
  },
  signal: AbortSignal,
): Promise<NoticeAnswer> => {
  const message = emailMessage(stored, destination, sending)
  try {
    const transport = await mailTransport(sending.secret, mailTimeoutMs)
    const { accepted, rejectedErrors = [] } = await transport.sendMail({ ...message, signal })
    // The answers to single readers: those who have the message get it no second time.
    const refused = rejectedErrors.map((error) => readMailFailure(error))
    const later = refused.find(({ kind }) => kind === "again")
    if (later?.kind === "again") {
      const reached = message.to.filter((address) => accepted.includes(address))
      return { ...later, reached: [...(sending.reached ?? []), ...reached] }
    }
    return refused[0] ?? { kind: "delivered", receipt: message.messageId }
  } catch (error) {
    if (isAdjutantError(error)) return { kind: "permanent", reason: error.message }
    return readMailFailure(error)
  }
}
