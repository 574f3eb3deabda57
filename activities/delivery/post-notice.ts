import { deliveryDelayMs, type DeliveryTry } from "../../domain/delivery/delivery-policy.ts"
import { noticeRequest } from "../../domain/notify/notice-request.ts"
import type { NoticeAnswer, StoredNotice } from "../../domain/notify/notice.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { askService } from "../../sessions/notify/ask-service.ts"
import { keepReceipt, receiptOf, threadReceiptKey } from "../../sessions/notify/receipts.ts"
import type { DeliveryRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { networkReason, postDelivery, type Posting } from "./post-delivery.ts"

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

/** Sends a message to the service of its destination, without the secrets that this worker knows. */
export const postNotice = async (
  deps: NoticeDependencies,
  row: DeliveryRow,
  { secret, attempt, signal }: Posting,
): Promise<DeliveryTry> => {
  const written: StoredNotice = JSON.parse(row.body)
  const stored: StoredNotice = { ...written, notice: { ...written.notice, ...redactedOf(deps, written) } }
  const rootId = (await deps.store.sessions.get(row.sessionId))?.rootId ?? row.sessionId
  const thread = threadReceiptKey(stored.name, rootId)
  const [receipt, threadReceipt] = await Promise.all([
    stored.update === undefined ? undefined : receiptOf(deps.store, stored.update.of),
    receiptOf(deps.store, thread),
  ])
  const request = noticeRequest(stored, {
    ...{ key: row.key, secret },
    ...(receipt === undefined ? {} : { receipt }),
    ...(threadReceipt === undefined ? {} : { thread: threadReceipt }),
  })
  if (request === undefined)
    return await postDelivery({ ...row, body: JSON.stringify(stored) }, { secret, attempt, signal })
  const again = (reason: string, afterMs?: number): DeliveryTry => ({
    ...{ kind: "again", reason },
    afterMs: deliveryDelayMs(row.policy, attempt, afterMs),
  })
  let answer: NoticeAnswer
  try {
    answer = await askService(request, AbortSignal.any([signal, AbortSignal.timeout(row.policy.timeoutMs)]))
  } catch (error) {
    signal.throwIfAborted()
    return again(networkReason(error, row.policy.timeoutMs))
  }
  if (answer.kind === "again") return again(answer.reason, answer.retryAfterMs)
  if (answer.kind === "delivered" && answer.receipt !== undefined)
    await keep(deps, { row, stored, thread }, answer.receipt)
  return answer.kind === "delivered" ? { kind: "delivered" } : answer
}

/** The word that decides is signed, and is not changed. */
const redactedOf = ({ redact }: NoticeDependencies, { notice }: StoredNotice) => {
  const { word: _word, url: _url, how: _how, checkpointId: _checkpointId, task: _task, ...texts } = notice
  return redactTexts(texts, redact)
}
