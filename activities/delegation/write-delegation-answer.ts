import type { ToolCall, ToolOutcome } from "../../contracts/message.ts"
import type { Store } from "../../store/store.ts"
import { delegatedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { activityFence } from "../transcript/activity-fence.ts"
import type { RunScope } from "../contract/run-scope.ts"
import { callHash } from "../approval/call-claim.ts"

export interface DelegationAnswer {
  readonly scope: RunScope & { readonly step: number; readonly callId: string; readonly resultSeq: number }
  readonly call: ToolCall
  readonly outcome: ToolOutcome
  readonly content: string
}

/** Writes the result of a delegation call at its place, with a claim that says whose result it is, and appends its event. */
export const writeDelegationAnswer = async (
  store: Pick<Store, "transaction">,
  answer: DelegationAnswer,
): Promise<void> => {
  const { scope, call, outcome, content } = answer
  const { sessionId, runId, step, callId: call_id, resultSeq: seq } = scope
  const { name } = call
  const hash = callHash(call)
  const fence = activityFence()
  const message = { role: "tool" as const, call_id, name, outcome, content }
  const finished = {
    type: "tool-finished" as const,
    runId,
    ordinal: delegatedOrdinal(hash, seq),
    data: { call_id, name, outcome, seq },
    messageSeq: seq,
  }
  await store.transaction(async (writes) => {
    // First, since it locks the session.
    await writes.events.append(sessionId, [finished])
    await writes.claims.claim({ sessionId, seq, callId: call_id, callHash: hash, tool: name, fence, done: true })
    await writes.messages.put(sessionId, { seq, runId, step, message, fence })
  })
}
