import type { CallDecision, Decide } from "../../contracts/approval/decision.ts"
import type { ErrorCode } from "../../contracts/error-code.ts"
import { assertNever } from "../assert-never.ts"
import { type CallState, pendingCalls, rejectionText, type ToolBatch, withCallState } from "../run/tool-batch.ts"

/** The decisions so far on calls of the open pause, by call id. */
export type RecordedDecisions = Readonly<Record<string, CallDecision["action"]>>

export interface OpenPause {
  readonly checkpointId: string
  readonly batch: ToolBatch
  readonly decided: RecordedDecisions
}

export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
}

export interface AppliedDecision {
  readonly batch: ToolBatch
  readonly decided: RecordedDecisions
  /** Calls that this decision settled, with the action. */
  readonly applied: readonly { readonly id: string; readonly action: CallDecision["action"] }[]
}

const stateAfter = (decision: CallDecision): CallState => {
  switch (decision.action) {
    case "accept":
      return { at: "ready" }
    case "reject":
      return {
        at: "settled",
        answer: { outcome: "rejected", content: rejectionText(decision.content) },
        written: false,
      }
    case "custom_result":
      return { at: "settled", answer: { outcome: "custom", content: decision.content }, written: false }
    default:
      return assertNever(decision)
  }
}

/** Which decision each pending call gets: listed ids first, then `all`, then what happens to the unlisted. */
const plan = (pause: OpenPause, decide: Decide): ReadonlyMap<string, CallDecision> => {
  const planned = new Map<string, CallDecision>()
  for (const call of pendingCalls(pause.batch)) {
    const decision =
      (Object.hasOwn(decide.decisions, call.id) ? decide.decisions[call.id] : undefined) ??
      decide.all ??
      (decide.unlisted === "reject" ? { action: "reject" as const } : undefined)
    if (decision !== undefined) planned.set(call.id, decision)
  }
  return planned
}

/** Why a decision cannot be applied to this pause; undefined when it can. A repetition of what was decided is no refusal. */
export const refuseDecision = (pause: OpenPause | undefined, decide: Decide, runId: string): Refusal | undefined => {
  if (decide.run_id !== undefined && decide.run_id !== runId)
    return {
      code: "run_mismatch",
      message: `the current run is ${runId}, not ${decide.run_id}: look at the session again`,
    }
  if (pause === undefined)
    return decide.checkpoint_id === undefined
      ? { code: "session_not_paused", message: "no call waits for a decision" }
      : { code: "checkpoint_stale", message: "that pause is over: look at the session for what waits now" }
  if (decide.checkpoint_id !== undefined && decide.checkpoint_id !== pause.checkpointId)
    return { code: "checkpoint_stale", message: "that pause is over: look at the session for what waits now" }
  const pending = new Set(pendingCalls(pause.batch).map((call) => call.id))
  for (const [id, decision] of Object.entries(decide.decisions)) {
    const before = Object.hasOwn(pause.decided, id) ? pause.decided[id] : undefined
    if (before !== undefined && before !== decision.action)
      return { code: "already_decided", message: `call ${id} was already decided otherwise (${before})` }
    if (before === undefined && !pending.has(id))
      return {
        code: "call_not_found",
        message: `no call ${id} waits here; pending: ${[...pending].join(", ") || "none"}`,
      }
  }
  return pending.size === 0 ? contraryToAll(pause, decide) : undefined
}

/** Where every call is decided and the run is about to go on, a decision that says otherwise of any call came too late. */
const contraryToAll = (pause: OpenPause, decide: Decide): Refusal | undefined => {
  const rest = decide.all?.action ?? (decide.unlisted === "reject" ? "reject" : undefined)
  const contrary = Object.entries(pause.decided).find(
    ([id, before]) => !Object.hasOwn(decide.decisions, id) && rest !== undefined && rest !== before,
  )
  return contrary === undefined
    ? undefined
    : { code: "already_decided", message: `call ${contrary[0]} was already decided otherwise (${contrary[1]})` }
}

/** Applies a decision that `refuseDecision` let pass. */
export const applyDecision = (pause: OpenPause, decide: Decide): AppliedDecision => {
  let batch = pause.batch
  const decided: Record<string, CallDecision["action"]> = { ...pause.decided }
  const applied: { id: string; action: CallDecision["action"] }[] = []
  for (const [id, decision] of plan(pause, decide)) {
    batch = withCallState(batch, id, stateAfter(decision))
    decided[id] = decision.action
    applied.push({ id, action: decision.action })
  }
  return { batch, decided, applied }
}
