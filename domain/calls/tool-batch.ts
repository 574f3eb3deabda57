import type { ToolOutcome } from "../../contracts/message.ts"
import { type CallFacts, isByIdOnly, type Verdict } from "../approval/gate.ts"
import { assertNever } from "../assert-never.ts"

/** The kind of a call: an ordinary tool, a delegation tool, the `finish` tool, or a call that cannot run (unknown tool, invalid arguments). */
export type CallKind = "tool" | "delegation" | "finish" | "invalid"

/** What happens to a call before anyone has decided: it runs, it waits for a decision, or it is refused. See domain/approval/gate.ts. */
export type CallDisposition = "auto" | "prompt" | "refuse"

/** A call as `call-model` returns it. Its arguments are in the transcript, in the assistant message's call with the same `id`. */
export interface ProposedCall {
  readonly id: string
  readonly name: string
  readonly kind: CallKind
  readonly disposition: CallDisposition
  readonly readOnly: boolean
  readonly idempotent: boolean
  /** It is so short that it may run inside the workflow task, as a local activity. */
  readonly quick?: boolean
  /** It changes a protected path, or asks to leave its sandbox: only a person's approval of this very call lets it run. */
  readonly isProtected?: boolean
  /** A rule says who approves it. A decision that was typed in the Temporal UI names no person, so it decides nothing. */
  readonly isCovered?: boolean
  /** The grant that lets it run without a decision of its own. */
  readonly grantId?: string
  /** Hash of its name and arguments. Absent in a call that an earlier version proposed. */
  readonly hash?: string
  /** First characters of the arguments, for the engine's UI. */
  readonly preview: string
  /** Why it cannot run or is refused; becomes the result that the model sees. */
  readonly problem?: string
  /** The error code of a refusal by the gate. */
  readonly code?: string
}

/** Returns the fields of a proposed call that record the verdict of the gate. */
export const judgedFields = (
  verdict: Verdict,
  { change, process, rule }: Pick<CallFacts, "change" | "process" | "rule">,
): Pick<ProposedCall, "disposition" | "isProtected" | "isCovered" | "problem"> => {
  const marks = {
    ...(isByIdOnly({ change, process }) ? { isProtected: true } : {}),
    ...(rule === undefined ? {} : { isCovered: true }),
  }
  switch (verdict.verdict) {
    case "run":
      return { disposition: "auto", ...marks }
    case "ask":
      return { disposition: "prompt", ...marks }
    case "refuse":
      return { disposition: "refuse", ...marks, problem: verdict.why.text }
    default:
      return assertNever(verdict)
  }
}

/** An answer that is known without running the call. */
export interface SettledAnswer {
  readonly outcome: ToolOutcome
  readonly content: string
  /** It was rejected because the decision named only other calls. */
  readonly isUnnamed?: true
}

/** A question of a running call to a person. The rounds of one call are counted from 1. */
export interface CallQuestion {
  readonly message: string
  readonly round: number
}

/** A person's answer; its text is stored in the inbox. */
export interface CallAnswer {
  readonly round: number
  readonly inboxId: string
  readonly text?: string
}

/** The new arguments of a call: stored by a program, or typed by an operator. */
export type CallEdit = { readonly argumentsId: string } | { readonly arguments: Readonly<Record<string, unknown>> }

/** Why a run fails that consists of one call, if that call failed. */
export interface CallFailure {
  readonly stopReason: "error" | "timeout"
  readonly error: { readonly code: string; readonly message: string }
}

export type CallState =
  /**
   * `again`: why a person is asked again about a call that was decided before. `changesProtected`: the call changes a protected path now, which it did not
   * when it was proposed.
   */
  | { readonly at: "pending"; readonly again?: string; readonly changesProtected?: boolean }
  /** Approved with other arguments, which a worker checks before the call can run. */
  | { readonly at: "edited"; readonly edit: CallEdit }
  /** `note`: what the approver says to the agent about it. */
  | { readonly at: "ready"; readonly answer?: CallAnswer; readonly note?: string }
  | { readonly at: "asking"; readonly question: CallQuestion }
  | { readonly at: "settled"; readonly answer: SettledAnswer; readonly written: boolean }
  /**
   * `failure`: only in a run without a model, which ends as its call ends. `failed`: the beginning of the result, if the call did not succeed; it shows
   * whether the same call fails again and again.
   */
  | { readonly at: "done"; readonly failure?: CallFailure; readonly failed?: string }

/** What a worker found out about the new arguments of a call. */
export type EditVerdict =
  | { readonly kind: "run"; readonly isProtected: boolean; readonly preview: string }
  | { readonly kind: "ask"; readonly isProtected: boolean; readonly preview: string; readonly reason: string }
  | { readonly kind: "refuse"; readonly reason: string }

export interface CheckedEdit {
  readonly id: string
  readonly verdict: EditVerdict
}

export interface BatchCall extends ProposedCall {
  readonly resultSeq: number
  readonly state: CallState
  /** An approver replaced its arguments. */
  readonly isEdited?: boolean
}

/** The calls of one assistant message, in the order in which the model proposed them. */
export interface ToolBatch {
  readonly assistantSeq: number
  readonly step: number
  readonly calls: readonly BatchCall[]
  /** People were shown previews of its calls. */
  readonly isPreviewed?: boolean
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

/** Creates a batch; assigns each call the transcript row for its result, after the assistant message. */
export const openBatch = (assistantSeq: number, step: number, proposed: readonly ProposedCall[]): ToolBatch => ({
  assistantSeq,
  step,
  calls: proposed.map((call, index) => ({ ...call, resultSeq: assistantSeq + 1 + index, state: initialState(call) })),
})

/** Returns the call whose question is asked next. */
export const askingCall = (
  batch: ToolBatch,
): (BatchCall & { readonly state: Extract<CallState, { at: "asking" }> }) | undefined => {
  for (const call of batch.calls) if (call.state.at === "asking") return { ...call, state: call.state }
  return undefined
}

export const pendingCalls = (batch: ToolBatch): readonly BatchCall[] =>
  batch.calls.filter((call) => call.state.at === "pending")

/** Returns the calls that have not run: those that wait for a decision, and those that start after it. */
export const unstartedCalls = (batch: ToolBatch): readonly BatchCall[] =>
  batch.calls.filter(({ state, kind }) => state.at === "pending" || (state.at === "ready" && kind !== "finish"))

/**
 * Returns the calls that start next: none while any call waits for a decision; adjacent read-only calls in parallel, any other alone, in proposed order.
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

/** Returns true if every call has its result, or an answer that needs no execution. */
export const isBatchComplete = (batch: ToolBatch): boolean =>
  batch.calls.every((call) => call.state.at === "done" || call.state.at === "settled" || isFinishReady(call))

const isFinishReady = (call: BatchCall): boolean => call.kind === "finish" && call.state.at === "ready"

/** Returns the accepted `finish` call of a complete batch. */
export const finishCall = (batch: ToolBatch): BatchCall | undefined => batch.calls.find(isFinishReady)

/** Returns whether an accepted `finish` call is the only open call of a batch. */
export const isFinishDue = (batch: ToolBatch): boolean =>
  finishCall(batch) !== undefined && nextGroup(batch).length === 0 && pendingCalls(batch).length === 0

/** Answers the `finish` call of a batch with an error, because of these sub-agents; without any, because they have ended only now. */
export const refuseFinish = (batch: ToolBatch, childIds: readonly string[]): ToolBatch => {
  const call = finishCall(batch)
  if (call === undefined) return batch
  const content =
    childIds.length === 0
      ? "not finished: your sub-agents have ended only now. Read their results, then call finish again."
      : `not finished: sub-agents are still active (${childIds.join(", ")}). Wait for them or cancel them, then call finish again.`
  return withCallState(batch, call.id, { at: "settled", answer: { outcome: "error", content }, written: false })
}

const mapCalls = (batch: ToolBatch, change: (call: BatchCall) => BatchCall): ToolBatch => ({
  ...batch,
  calls: batch.calls.map(change),
})

export const withCallState = (batch: ToolBatch, id: string, state: CallState): ToolBatch =>
  mapCalls(batch, (call) =>
    call.id === id ? { ...(state.at === "pending" ? askedAbout(call, state) : call), state } : call,
  )

/** A call that waits for a person no longer runs by its grant: the decision counts instead. */
const askedAbout = (call: BatchCall, { changesProtected }: Extract<CallState, { at: "pending" }>): BatchCall => {
  const { grantId: _, ...rest } = call
  return { ...rest, disposition: "prompt", ...(changesProtected === true ? { isProtected: true } : {}) }
}

/** Returns the calls whose new arguments have to be checked. */
export const editedCalls = (
  batch: ToolBatch,
): readonly (BatchCall & { readonly state: Extract<CallState, { at: "edited" }> })[] =>
  batch.calls.flatMap((call) => (call.state.at === "edited" ? [{ ...call, state: call.state }] : []))

/**
 * Applies what a worker found out about the new arguments of a call. The call runs with them, waits for a decision with them, or keeps its own arguments and
 * waits for a decision.
 */
export const withEditVerdict = (batch: ToolBatch, { id, verdict }: CheckedEdit): ToolBatch =>
  mapCalls(batch, (call) => {
    if (call.id !== id) return call
    if (verdict.kind === "refuse") return { ...call, state: { at: "pending", again: verdict.reason } }
    const { isProtected: _, ...rest } = call
    const edited = { ...rest, ...(verdict.isProtected ? { isProtected: true } : {}), preview: verdict.preview }
    return verdict.kind === "run"
      ? { ...edited, isEdited: true, state: { at: "ready" } }
      : { ...edited, isEdited: true, state: { at: "pending", again: verdict.reason } }
  })

/** Gives the same answer to every call that has not started or is waiting for a person (steering, cancel). */
export const settleUnstarted = (batch: ToolBatch, answer: SettledAnswer): ToolBatch =>
  mapCalls(batch, (call) =>
    call.state.at === "pending" || call.state.at === "edited" || call.state.at === "ready" || call.state.at === "asking"
      ? { ...call, state: { at: "settled", answer, written: false } }
      : call,
  )

/** Returns true for a call that a worker can run; the only answer of any other is an error. */
export const isRunnable = ({ kind }: Pick<ProposedCall, "kind">): boolean => kind === "tool" || kind === "delegation"

/** Returns what the approver of a call says to the agent. */
export const approverNote = ({ state }: Pick<BatchCall, "state">): { readonly note?: string } =>
  state.at === "ready" && state.note !== undefined ? { note: state.note } : {}

/** Returns the calls whose answers are known but not yet in the transcript. */
export const unwrittenAnswers = (batch: ToolBatch): readonly BatchCall[] =>
  batch.calls.filter((call) => call.state.at === "settled" && !call.state.written)

export const markWritten = (batch: ToolBatch): ToolBatch =>
  mapCalls(batch, (call) => (call.state.at === "settled" ? { ...call, state: { ...call.state, written: true } } : call))
