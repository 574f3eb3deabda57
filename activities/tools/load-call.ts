import { ApplicationFailure } from "@temporalio/activity"
import type { ToolCall } from "../../contracts/message.ts"
import { findToolCall } from "../../domain/transcript/tool-calls.ts"
import type { Store } from "../../store/store.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"

/** The place of a call in the transcript: the history contains references, never arguments. */
type CallReference = Pick<RunToolInput, "sessionId" | "assistantSeq" | "callId" | "resultSeq" | "isEdited">

const missing = (callId: string, where: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`call ${callId} is not in the ${where}`, "storage_failed")

/**
 * Returns a call as it is executed: as the model proposed it, or with the arguments that an approver gave it.
 *
 * @throws ApplicationFailure `storage_failed`, not to be retried, where the store does not contain the call
 */
export const loadCall = async (
  { messages, callEdits }: Pick<Store, "messages" | "callEdits">,
  { sessionId, assistantSeq, callId, resultSeq, isEdited }: CallReference,
): Promise<ToolCall> => {
  const row = await messages.get(sessionId, assistantSeq)
  const call = findToolCall(row?.message, callId)
  if (call === undefined) throw missing(callId, "transcript")
  if (isEdited !== true) return call
  const edit = await callEdits.get(sessionId, resultSeq)
  if (edit?.callId !== callId) throw missing(callId, "edited calls")
  return { id: call.id, name: call.name, arguments: { ...edit.arguments } }
}
