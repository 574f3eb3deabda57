import type { Message } from "../../contracts/message.ts"
import type { Reason } from "../../domain/approval/gate.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import { activityFence } from "../run/activity-fence.ts"
import { appendOutbox } from "../run/write-outbox.ts"

/** Returns the error code of a run whose one call the gate refused. */
export const refusalCode = ({ about }: Pick<Reason, "about">): "sandbox_unavailable" | "forbidden" =>
  about === "sandbox" ? "sandbox_unavailable" : "forbidden"

/**
 * Records that a call was refused before it started. It is not claimed: a later attempt, perhaps on a worker that allows it, would take it for one that
 * has started.
 */
export const recordRefusal = async (
  deps: Pick<AgentDependencies, "store">,
  input: RunToolInput,
  { name, row }: { readonly name: string; readonly row: Message },
): Promise<void> => {
  const { sessionId, runId, resultSeq: seq, callId, step } = input
  await deps.store.transaction(async (writes) => {
    await appendOutbox(writes, input, input.outbox)
    const isRepeated = (await writes.messages.get(sessionId, seq)) !== undefined
    await writes.messages.put(sessionId, { seq, runId, step, message: row, fence: activityFence() })
    const data = { call_id: callId, name, outcome: "error", seq, duration_ms: 0 }
    if (!isRepeated) await writes.events.append(sessionId, [{ type: "tool-finished", runId, data, messageSeq: seq }])
  })
}
