import { ApplicationFailure } from "@temporalio/activity"
import type { ToolCall } from "../../contracts/message.ts"
import { findToolCall } from "../../domain/transcript/tool-calls.ts"
import type { Store } from "../../store/store.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"

/** The place of a call in the transcript: the history contains references, never arguments. */
type CallReference = Pick<RunToolInput, "sessionId" | "assistantSeq" | "callId">

/**
 * Returns a proposed call with its arguments.
 *
 * @throws ApplicationFailure `storage_failed`, not to be retried, where the transcript does not contain the call
 */
export const loadCall = async (
  { messages }: Pick<Store, "messages">,
  { sessionId, assistantSeq, callId }: CallReference,
): Promise<ToolCall> => {
  const row = await messages.get(sessionId, assistantSeq)
  const call = findToolCall(row?.message, callId)
  if (call === undefined)
    throw ApplicationFailure.nonRetryable(`call ${callId} is not in the transcript`, "storage_failed")
  return call
}
