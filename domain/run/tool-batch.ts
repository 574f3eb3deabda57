import type { ToolOutcome } from "../../contracts/message.ts"

/** What kind of call it is: an ordinary tool, one that hands work to sub-agents, the `finish` tool, or one that cannot run (unknown tool, arguments that do not fit). */
export type CallKind = "tool" | "delegation" | "finish" | "invalid"

/** What a call meets before anyone has decided: it runs, it waits for a decision, or it is refused at once. See domain/approval/disposition.ts. */
export type CallDisposition = "auto" | "prompt" | "refuse"

/** A call as `call-model` returns it: arguments stay in the transcript, found by `id` in the assistant message. */
export interface ProposedCall {
  readonly id: string
  readonly name: string
  readonly kind: CallKind
  readonly disposition: CallDisposition
  readonly readOnly: boolean
  readonly idempotent: boolean
  /** It may run inside the workflow task. */
  readonly quick?: boolean
  /** First characters of the arguments, for the engine's UI. */
  readonly preview: string
  /** Why it cannot run or is refused: becomes the result that the model sees. */
  readonly problem?: string
}

/** Returns the `problem` of a call that policy refuses; nothing for any other. */
export const refusal = (disposition: CallDisposition, name: string): Pick<ProposedCall, "problem"> =>
  disposition === "refuse" ? { problem: `policy never allows ${name}` } : {}

/** An answer that is known without running the call. */
export interface SettledAnswer {
  readonly outcome: ToolOutcome
  readonly content: string
}

/** What a call asks a person while it runs. Questions of one call are counted from 1. */
export interface CallQuestion {
  readonly message: string
  readonly round: number
}

/** A person's answer, by reference like any text. */
export interface CallAnswer {
  readonly round: number
  readonly inboxId: string
  readonly text?: string
}

export type CallState =
  | { readonly at: "pending" }
  | { readonly at: "ready"; readonly answer?: CallAnswer }
  | { readonly at: "asking"; readonly question: CallQuestion }
  | { readonly at: "settled"; readonly answer: SettledAnswer; readonly written: boolean }
  | { readonly at: "done" }

export interface BatchCall extends ProposedCall {
  readonly resultSeq: number
  readonly state: CallState
}

/** The calls of one assistant message, in the order in which the model proposed them. */
export interface ToolBatch {
  readonly assistantSeq: number
  readonly step: number
  readonly calls: readonly BatchCall[]
}

export const rejectionText = (reason: string | undefined): string =>
  reason === undefined || reason === "" ? "TOOL_CALL_REJECTED" : `TOOL_CALL_REJECTED: ${reason}`

export const steeringSkipText = "skipped due to steering"

const initialState = (call: ProposedCall): CallState => {
  if (call.kind === "invalid")
    return {
      at: "settled",
      answer: { outcome: "error", content: call.problem ?? "this call cannot run" },
      written: false,
    }
  if (call.disposition === "refuse")
    return { at: "settled", answer: { outcome: "rejected", content: rejectionText(call.problem) }, written: false }
  return call.disposition === "prompt" ? { at: "pending" } : { at: "ready" }
}

/** Gives every call the row after its assistant message where its result belongs. */
export const openBatch = (assistantSeq: number, step: number, proposed: readonly ProposedCall[]): ToolBatch => ({
  assistantSeq,
  step,
  calls: proposed.map((call, index) => ({ ...call, resultSeq: assistantSeq + 1 + index, state: initialState(call) })),
})

/** The call whose question comes next. */
export const askingCall = (
  batch: ToolBatch,
): (BatchCall & { readonly state: Extract<CallState, { at: "asking" }> }) | undefined => {
  for (const call of batch.calls) if (call.state.at === "asking") return { ...call, state: call.state }
  return undefined
}

export const pendingCalls = (batch: ToolBatch): readonly BatchCall[] =>
  batch.calls.filter((call) => call.state.at === "pending")

/**
 * The calls that start next: none while any call waits for a decision; read-only neighbours side by side, any other alone, in proposal order.
 */
export const nextGroup = (batch: ToolBatch): readonly BatchCall[] => {
  if (pendingCalls(batch).length > 0) return []
  const ready = batch.calls.filter((call) => call.state.at === "ready" && call.kind !== "finish")
  const first = ready[0]
  if (first === undefined) return []
  if (!first.readOnly) return [first]
  const end = ready.findIndex((call) => !call.readOnly)
  return end === -1 ? ready : ready.slice(0, end)
}

/** True when every call has its result, or an answer that needs no run. */
export const isBatchComplete = (batch: ToolBatch): boolean =>
  batch.calls.every((call) => call.state.at === "done" || call.state.at === "settled" || isFinishReady(call))

const isFinishReady = (call: BatchCall): boolean => call.kind === "finish" && call.state.at === "ready"

/** The accepted `finish` call of a complete batch. */
export const finishCall = (batch: ToolBatch): BatchCall | undefined => batch.calls.find(isFinishReady)

/** `finish` while sub-agents are at work is answered instead of obeyed: their work would be thrown away. */
export const refuseFinish = (batch: ToolBatch, childIds: readonly string[]): ToolBatch => {
  const call = finishCall(batch)
  if (call === undefined || childIds.length === 0 || nextGroup(batch).length > 0 || pendingCalls(batch).length > 0)
    return batch
  const content =
    `not finished: sub-agents are still at work (${childIds.join(", ")}). ` +
    "Wait for them or cancel them, then call finish again."
  return withCallState(batch, call.id, { at: "settled", answer: { outcome: "error", content }, written: false })
}

const mapCalls = (batch: ToolBatch, change: (call: BatchCall) => BatchCall): ToolBatch => ({
  ...batch,
  calls: batch.calls.map(change),
})

export const withCallState = (batch: ToolBatch, id: string, state: CallState): ToolBatch =>
  mapCalls(batch, (call) => (call.id === id ? { ...call, state } : call))

/** Gives every call that has not started yet, or that waits for a person, the same answer (steering, cancel). */
export const settleUnstarted = (batch: ToolBatch, answer: SettledAnswer): ToolBatch =>
  mapCalls(batch, (call) =>
    call.state.at === "pending" || call.state.at === "ready" || call.state.at === "asking"
      ? { ...call, state: { at: "settled", answer, written: false } }
      : call,
  )

/** Answers that are known but not yet in the transcript. */
export const unwrittenAnswers = (batch: ToolBatch): readonly BatchCall[] =>
  batch.calls.filter((call) => call.state.at === "settled" && !call.state.written)

export const markWritten = (batch: ToolBatch): ToolBatch =>
  mapCalls(batch, (call) => (call.state.at === "settled" ? { ...call, state: { ...call.state, written: true } } : call))
