import { ApplicationFailure } from "@temporalio/activity"
import type { ToolCall } from "../../contracts/message.ts"
import { endProblem } from "../../domain/run/answer-end.ts"
import { findToolCall } from "../../domain/transcript/tool-calls.ts"
import type { Store } from "../../store/store.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"

/** The place of a call in the transcript: the history contains references, never arguments. */
type CallReference = Pick<RunToolInput, "sessionId" | "assistantSeq" | "callId" | "resultSeq" | "isEdited">

const missing = (callId: string, where: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`call ${callId} is not in the ${where}`, "storage_failed")

/** A call, and why no call runs of the answer that proposed it; absent if that ended normally. */
interface LoadedCall {
  readonly call: ToolCall
  readonly endProblem?: string | undefined
}

/**
 * Returns a call as it is executed: as the model proposed it, or with the arguments that an approver gave it.
 *
 * @throws ApplicationFailure `storage_failed`, not to be retried, where the store does not contain the call
 */
export const loadProposed = async (
  { messages, callEdits }: Pick<Store, "messages" | "callEdits">,
  { sessionId, assistantSeq, callId, resultSeq, isEdited }: CallReference,
): Promise<LoadedCall> => {
  const message = (await messages.get(sessionId, assistantSeq))?.message
  const proposed = findToolCall(message, callId)
  if (proposed === undefined) throw missing(callId, "transcript")
  const end = message?.role === "assistant" ? { endProblem: endProblem(message) } : {}
  if (isEdited !== true) return { call: proposed, ...end }
  const edit = await callEdits.get(sessionId, resultSeq)
  if (edit?.callId !== callId) throw missing(callId, "edited calls")
  return { call: { id: proposed.id, name: proposed.name, arguments: { ...edit.arguments } }, ...end }
}

/** Returns the call alone; see `loadProposed`. */
export const loadCall = async (...place: Parameters<typeof loadProposed>): Promise<ToolCall> =>
  (await loadProposed(...place)).call
