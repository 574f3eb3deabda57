import type { ErrorCode } from "../../contracts/error-code.ts"
import type { Message } from "../../contracts/message.ts"
import type { Reason } from "../../domain/approval/gate.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import { auditRefusal } from "../approval/audit-refusal.ts"
import { activityFence } from "../transcript/activity-fence.ts"
import { appendOutbox } from "../transcript/write-outbox.ts"

type RefusalCode = Extract<ErrorCode, "sandbox_unavailable" | "needs_approval" | "forbidden">

/** Returns the error code of a refusal by the gate: of a call, and of a run without a model whose one call it is. */
export const refusalCode = ({ about }: Pick<Reason, "about">): RefusalCode => {
  switch (about) {
    case "sandbox":
      return "sandbox_unavailable"
    case "approval":
      return "needs_approval"
    default:
      return "forbidden"
  }
}

/** Why a call is refused. */
export interface CodedReason {
  readonly code: string
  readonly text: string
}

/** Returns what a model is told of a refusal. By the code, it knows that another way to make the call does not help. */
export const refusalText = ({ code, text }: CodedReason): string =>
  code === "needs_approval" ? `${code}: ${text}` : text

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
