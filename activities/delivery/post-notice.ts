import { deliveryDelayMs, type DeliveryTry } from "../../domain/delivery/delivery-policy.ts"
import type { NoticeAnswer, NoticeSending, StoredNotice } from "../../domain/notify/notice.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { keepReached, keepReceipt, reachedOf, receiptOf, threadReceiptKey } from "../../sessions/notify/receipts.ts"
import { sendNotice } from "../../sessions/notify/send/send-notice.ts"
import type { DeliveryRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { mayHaveArrived, networkReason, postDelivery, type Posting } from "./post-delivery.ts"

type NoticeDependencies = Pick<AgentDependencies, "store" | "redact">

/** Keeps where the service has the message, so that it is replaced later, and followed by others in its thread. */
const keep = async (
  { store }: NoticeDependencies,
  { row, stored, thread }: { readonly row: DeliveryRow; readonly stored: StoredNotice; readonly thread: string },
  receipt: string,
): Promise<void> => {
  await keepReceipt(store, row.key, receipt)
  if (stored.update === undefined) await keepReceipt(store, thread, receipt)
}

/** Ends the reason of a try whose answer is not known: the next one may repeat what the service has. */
const inDoubt = "the message may have arrived"

/** What is known of a try until it is answered. */
export const unanswered = `not answered: ${inDoubt}`

/** Returns what the service needs besides the message; undefined if it has the message already. */
const sendingOf = async (
  { store }: NoticeDependencies,
  { row, stored, thread }: { readonly row: DeliveryRow; readonly stored: StoredNotice; readonly thread: string },
  secret: string,
): Promise<NoticeSending | undefined> => {
  const { destination } = stored
  const isDoubtful = row.lastError?.endsWith(inDoubt) === true
  const [own, receipt, threadReceipt, reached] = await Promise.all([
    isDoubtful ? receiptOf(store, row.key) : undefined,
    stored.update === undefined ? undefined : receiptOf(store, stored.update.of),
    receiptOf(store, thread),
    row.attempts > 0 && destination.type === "email" ? reachedOf(store, row.key, destination.to) : [],
  ])
  if (own !== undefined) return undefined
  return {
    ...{ key: row.key, secret, reached },
    ...(receipt === undefined ? {} : { receipt }),
    ...(threadReceipt === undefined ? {} : { thread: threadReceipt }),
    ...(isDoubtful ? { mayBeThereSince: row.createdAt } : {}),
  }
}

/** Sends a message to the service of its destination, without the secrets that this worker knows. */
export const postNotice = async (
  deps: NoticeDependencies,
  row: DeliveryRow,
  { secret, attempt, signal }: Posting,
): Promise<DeliveryTry> => {
  const written: StoredNotice = JSON.parse(row.body)
  const { destination } = written
  const stored: StoredNotice = { ...written, notice: { ...written.notice, ...redactedOf(deps, written) } }
  if (destination.type === "webhook")
    return await postDelivery({ ...row, body: JSON.stringify(stored) }, { secret, attempt, signal })
  const rootId = (await deps.store.sessions.get(row.sessionId))?.rootId ?? row.sessionId
  const thread = threadReceiptKey(stored.name, rootId)
  const sending = await sendingOf(deps, { row, stored, thread }, secret)
  if (sending === undefined) return { kind: "delivered" }
  const again = (reason: string, isInDoubt: boolean, afterMs?: number): DeliveryTry => ({
    ...{ kind: "again", reason: isInDoubt ? `${reason}: ${inDoubt}` : reason },
    afterMs: deliveryDelayMs(row.policy, attempt, afterMs),
  })
  const wasInDoubt = sending.mayBeThereSince !== undefined
  let answer: NoticeAnswer
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(row.policy.timeoutMs)])
    answer = await sendNotice({ stored, destination, sending }, limited)
  } catch (error) {
    signal.throwIfAborted()
    return again(networkReason(error, row.policy.timeoutMs), wasInDoubt || mayHaveArrived(error))
  }
  if (answer.kind === "again") {
    await keepReached(deps.store, row.key, answer.reached)
    return again(answer.reason, wasInDoubt, answer.retryAfterMs)
  }
  if (answer.kind === "delivered" && answer.receipt !== undefined)
    await keep(deps, { row, stored, thread }, answer.receipt)
  return answer.kind === "delivered" ? { kind: "delivered" } : answer
}

/** The word that decides is signed, and is not changed. */
const redactedOf = ({ redact }: NoticeDependencies, { notice }: StoredNotice) => {
  const { word: _word, url: _url, how: _how, checkpointId: _checkpointId, task: _task, ...texts } = notice
  return redactTexts(texts, redact)
}
