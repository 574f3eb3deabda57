import type { Message } from "../../contracts/message.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import { auditRefusal, type CodedReason } from "../approval/audit-refusal.ts"
import { activityFence } from "../transcript/activity-fence.ts"
import { appendOutbox } from "../transcript/write-outbox.ts"

/**
 * Records that a call was refused before it started. It is not claimed: a later attempt, perhaps on a worker that allows it, would take it for one that
 * has started.
 */
export const recordRefusal = async (
  deps: Pick<AgentDependencies, "store">,
  input: RunToolInput,
  { name, row, why }: { readonly name: string; readonly row: Message; readonly why: CodedReason },
): Promise<void> => {
  const { sessionId, runId, resultSeq: seq, callId, step } = input
  await auditRefusal(deps.store, { sessionId, runId, callId, name, reason: why.text, code: why.code })
  await deps.store.transaction(async (writes) => {
    await appendOutbox(writes, input, input.outbox)
    const isRepeated = (await writes.messages.get(sessionId, seq)) !== undefined
    await writes.messages.put(sessionId, { seq, runId, step, message: row, fence: activityFence() })
    const data = { call_id: callId, name, outcome: "error", seq, duration_ms: 0, code: why.code }
    if (!isRepeated) await writes.events.append(sessionId, [{ type: "tool-finished", runId, data, messageSeq: seq }])
  })
}
