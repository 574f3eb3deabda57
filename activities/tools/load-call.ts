import { ApplicationFailure } from "@temporalio/activity"
import type { ToolCall } from "../../contracts/message.ts"
import type { Store } from "../../store/store.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"

/** Returns the call that an activity is to run, from the message that proposed it. */
export const loadCall = async ({ messages }: Pick<Store, "messages">, input: RunToolInput): Promise<ToolCall> => {
  const row = await messages.get(input.sessionId, input.assistantSeq)
  if (row?.message.role === "assistant")
    for (const part of row.message.parts)
      if (part.type === "tool_call" && part.call.id === input.callId) return part.call
  throw ApplicationFailure.nonRetryable(`call ${input.callId} is not in the transcript`, "storage_failed")
}
