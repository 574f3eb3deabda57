import type { CallDecision, Decide, GeneralDecision, SentDecision } from "../../contracts/approval/decision.ts"
import type { ErrorCode } from "../../contracts/error-code.ts"
import { assertNever } from "../assert-never.ts"
import {
  type CallEdit,
  type CallState,
  pendingCalls,
  rejectionText,
  type ToolBatch,
  withCallState,
} from "./tool-batch.ts"

/** The decisions made so far on calls of the open pause, by call id. */
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

/** The refusal of a message or decision that names a checkpoint other than the open one. */
export const checkpointStaleText = "this checkpoint is no longer open: read the session to see what is pending"

/** Returns the refusal of a message or decision that names a run other than the current one. */
export const runMismatchText = (currentRunId: string, runId: string): string =>
  `the current run is ${currentRunId}, not ${runId}: read the session and try again`

/** Returns the refusal of a decision that contradicts an earlier one; `action` is the earlier action, if it is known. */
export const alreadyDecidedText = (callId: string, action: CallDecision["action"] | "unknown"): string =>
  `call ${callId} already has a different decision (${action})`

const alreadyDecided = (callId: string, action: CallDecision["action"]): Refusal => ({
  code: "already_decided",
  message: alreadyDecidedText(callId, action),
})

export interface AppliedDecision {
  readonly batch: ToolBatch
  readonly decided: RecordedDecisions
  /** Calls that this decision settled, each with its action. */
  readonly applied: readonly { readonly id: string; readonly action: CallDecision["action"] }[]
}

const editOf = (decision: Extract<SentDecision, { action: "edit" }>): CallEdit =>
  "arguments_id" in decision ? { argumentsId: decision.arguments_id } : { arguments: decision.arguments }

const hasNote = (text: string | undefined): text is string => text !== undefined && text.trim() !== ""

const stateAfter = (decision: SentDecision): CallState => {
  switch (decision.action) {
    case "accept":
      return { at: "ready", ...(hasNote(decision.content) ? { note: decision.content } : {}) }
    case "reject":
      return {
        at: "settled",
        answer: { outcome: "rejected", content: rejectionText(decision.content) },
        written: false,
      }
    case "edit":
      return { at: "edited", edit: editOf(decision) }
    case "custom_result":
      return { at: "settled", answer: { outcome: "custom", content: decision.content }, written: false }
    default:
      return assertNever(decision)
  }
}

/**
 * Returns what a decision for all calls means for one of them. An approval of all calls does not include a call that changes a protected path or asks to
 * leave the sandbox: who approves everything at once may not have seen it.
 */
const decisionForAll = (
  all: GeneralDecision | undefined,
  isProtected: boolean | undefined,
): GeneralDecision | undefined => (isProtected === true && all?.action === "accept" ? undefined : all)

/** Returns the calls that a decision for all calls does not include: only one that names them decides them. */
export const notIncluded = <T extends { readonly isProtected?: boolean }>(
  all: GeneralDecision | undefined,
  calls: readonly T[],
): readonly T[] => calls.filter(({ isProtected }) => decisionForAll(all, isProtected) !== all)

interface DecisionRules {
  /** Whether `unlisted` decides the calls that `all` does not include. Otherwise they stay pending. */
  readonly unlistedWithAll: boolean
}

/** Returns the decision for each pending call: a listed id takes precedence over `all`, and where there is no `all`, `unlisted` applies. */
const plan = (
  pause: OpenPause,
  decide: Decide,
  { unlistedWithAll }: DecisionRules,
): ReadonlyMap<string, SentDecision> => {
  const rejectsOthers = decide.unlisted === "reject" && (decide.all === undefined || unlistedWithAll)
  const planned = new Map<string, SentDecision>()
  for (const call of pendingCalls(pause.batch)) {
    const decision =
      (Object.hasOwn(decide.decisions, call.id) ? decide.decisions[call.id] : undefined) ??
      decisionForAll(decide.all, call.isProtected) ??
      (rejectsOthers ? { action: "reject" as const } : undefined)
    if (decision !== undefined) planned.set(call.id, decision)
  }
  return planned
}

const isNamed = (decide: Decide, id: string): boolean => Object.hasOwn(decide.decisions, id) || decide.all !== undefined

/** Marks the rejection of a call that the decision does not name. Nobody judged this call, so it does not count as rejected again and again. */
const unnamed = (state: CallState): CallState =>
  state.at === "settled" ? { ...state, answer: { ...state.answer, isUnnamed: true } } : state

/** Returns why a decision cannot be applied to this pause; undefined when it can. Repeating an earlier decision is allowed. */
export const refuseDecision = (pause: OpenPause | undefined, decide: Decide, runId: string): Refusal | undefined => {
  if (decide.run_id !== undefined && decide.run_id !== runId)
    return {
      code: "run_mismatch",
      message: runMismatchText(runId, decide.run_id),
    }
  if (pause === undefined)
    return decide.checkpoint_id === undefined
      ? { code: "session_not_paused", message: "no call is waiting for a decision: read the session to see its status" }
      : { code: "checkpoint_stale", message: checkpointStaleText }
  if (decide.checkpoint_id !== undefined && decide.checkpoint_id !== pause.checkpointId)
    return { code: "checkpoint_stale", message: checkpointStaleText }
  const pending = new Set(pendingCalls(pause.batch).map((call) => call.id))
  for (const [id, decision] of Object.entries(decide.decisions)) {
    const before = Object.hasOwn(pause.decided, id) ? pause.decided[id] : undefined
    // A second edit has other arguments than the first. A repetition of the first never arrives here: its decision id is known already.
    if (before !== undefined && (before !== decision.action || before === "edit")) return alreadyDecided(id, before)
    if (before === undefined && !pending.has(id))
      return {
        code: "call_not_found",
        message: `call ${id} is not pending; pending calls: ${[...pending].join(", ") || "none"}`,
      }
  }
  return pending.size === 0 ? refuseContraryForAll(pause, decide) : undefined
}

/** Refuses a decision for all calls that contradicts an earlier one. All calls are decided, and the run is about to continue. */
const refuseContraryForAll = (pause: OpenPause, decide: Decide): Refusal | undefined => {
  const rest = decide.all?.action ?? (decide.unlisted === "reject" ? "reject" : undefined)
  const contrary = Object.entries(pause.decided).find(
    ([id, before]) => !Object.hasOwn(decide.decisions, id) && rest !== undefined && rest !== before,
  )
  return contrary === undefined ? undefined : alreadyDecided(...contrary)
}

/** Applies a decision that `refuseDecision` did not refuse. */
export const applyDecision = (
  pause: OpenPause,
  decide: Decide,
  rules: DecisionRules = { unlistedWithAll: false },
): AppliedDecision => {
  let batch = pause.batch
  const decided: Record<string, CallDecision["action"]> = { ...pause.decided }
  const applied: { id: string; action: CallDecision["action"] }[] = []
  for (const [id, decision] of plan(pause, decide, rules)) {
    const state = stateAfter(decision)
    batch = withCallState(batch, id, isNamed(decide, id) ? state : unnamed(state))
    decided[id] = decision.action
    applied.push({ id, action: decision.action })
  }
  return { batch, decided, applied }
}

/** Returns the warning about an approval of all calls that does not include these. */
export const namedApprovalText = (ids: readonly string[]): string =>
  `calls that change protected files or leave the sandbox are still pending: approve ${ids.join(", ")} by id`
