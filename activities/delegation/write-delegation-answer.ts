import type { ToolOutcome } from "../../contracts/message.ts"
import type { Store } from "../../store/store.ts"
import { delegatedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { activityFence } from "../transcript/activity-fence.ts"
import type { RunScope } from "../contract/run-scope.ts"

export interface DelegationAnswer {
  readonly scope: RunScope & { readonly step: number; readonly callId: string; readonly resultSeq: number }
  readonly name: string
  readonly outcome: ToolOutcome
  readonly content: string
}

/** Writes the result of a delegation call at its place, and appends its event. */
export const writeDelegationAnswer = async (
  store: Pick<Store, "messages" | "events">,
  answer: DelegationAnswer,
): Promise<void> => {
  const { scope, name, outcome, content } = answer
  const { sessionId, runId, step, callId: call_id, resultSeq: seq } = scope
  const message = { role: "tool" as const, call_id, name, outcome, content }
  await store.messages.put(sessionId, { seq, runId, step, message, fence: activityFence() })
  await store.events.append(sessionId, [
    {
      type: "tool-finished",
      runId,
      ordinal: delegatedOrdinal(seq),
      data: { call_id, name, outcome, seq },
      messageSeq: seq,
    },
  ])
}
