import type { Warning } from "../../contracts/run/warning.ts"
import type { AssistantMessage } from "../../contracts/message.ts"
import type { StopReason } from "../../contracts/status.ts"
import { assertNever } from "../assert-never.ts"
import { counted } from "../text/figures.ts"
import { isNormalEnd } from "./answer-end.ts"
import type { StepsEnd } from "./last-answer.ts"
import {
  askingCall,
  type BatchCall,
  finishCall,
  isBatchComplete,
  isFinishDue,
  nextGroup,
  pendingCalls,
  type ToolBatch,
} from "../calls/tool-batch.ts"

/** The parts of the last model answer on which the next step depends. */
export interface LastAnswer {
  readonly stop: AssistantMessage["stop"]
  readonly hasText: boolean
  readonly hasCalls: boolean
}

/** Everything on which the next step of a run depends. */
export interface RunPosition {
  readonly batch: ToolBatch | null
  readonly lastAnswer: LastAnswer | null
  /** Texts (steering, input) that the model has not seen yet. */
  readonly waitingTexts: number
  readonly stepsTaken: number
  readonly maxSteps: number
  readonly pauseOnText: boolean
  /** Consecutive answers that were cut by `max_tokens` or by the provider's own pause. */
  readonly continuations: number
  readonly emptyAnswers: number
  /** The last answers were empty, although the model was asked for its report. */
  readonly isReportAsked?: boolean
  /** An answer of the run has a text, which is its report if the last ones are empty. */
  readonly hasSaid?: boolean
  /** A call that is not read-only has succeeded. */
  readonly hasChanged?: boolean
  /** Whether the last answer is not the result that the run requires. */
  readonly hasResultProblem?: boolean
  /** Set when the budget did not cover the last model call. */
  readonly budgetExhausted: boolean
  /** Why, if it was not the run's own budget. */
  readonly budgetReason?: string | undefined
  /** The words with which the answers since the last one that was taken ended, where they are not known: their calls did not run. */
  readonly unknownEnds?: readonly string[]
  /** Background children that have not ended. */
  readonly activeChildren: number
  /** The run has no model: it is one call, and what that comes to is what the run comes to. */
  readonly isOneCall?: boolean
  /** Of a run that has used its steps: its last answer is asked for, or it has that answer. Absent: none is asked for. */
  readonly stepsEnd?: Exclude<StepsEnd, "told"> | undefined
  /** Why the run makes no progress; absent while it may. */
  readonly noProgress?: { readonly message: string; readonly asksPerson: boolean } | undefined
  /** The open pause has its answer, or a decision on each of its calls. */
  readonly isPauseOver?: boolean
  /** The history is long enough for a fresh execution to continue, and nothing needs this one. */
  readonly isHistoryLong?: boolean
  /** The history is so long that no model turn may be added to it. */
  readonly isHistoryFull?: boolean
  /** A message waits in the run's thread, and the run that it begins can take the active children over. */
  readonly isTakenOver?: boolean
  /** Such a message has ended the wait of a call for children, which was the last thing that the run had to do. */
  readonly isWaitOvertaken?: boolean
  /** The provider of the model in use is unavailable for now. */
  readonly isProviderAway?: boolean
  /** The rate limit of the model's provider allows the next call later. */
  readonly isRateLimited?: boolean
  /** The run has no slot of its lane, and needs one. */
  readonly needsSlot?: boolean
}

export type NextStep =
  | { readonly kind: "end-pause" }
  /** A `finish` call came while sub-agents are active. */
  | { readonly kind: "hold-finish" }
  | { readonly kind: "continue-as-new" }
  /** The run has nothing to do but wait for sub-agents, which the next run of its thread takes over. */
  | { readonly kind: "hand-over" }
  /** The history is full: the sub-agents end first, and then a fresh execution continues. */
  | { readonly kind: "drain" }
  | { readonly kind: "wait-for-provider" }
  | { readonly kind: "wait-for-rate" }
  | { readonly kind: "wait-for-slot" }
  | { readonly kind: "call-model" }
  /** In a run without a model, in the place of a model. */
  | { readonly kind: "propose-call" }
  | { readonly kind: "run-calls"; readonly calls: readonly BatchCall[] }
  | { readonly kind: "pause-for-decisions" }
  | { readonly kind: "wait-for-children" }
  | { readonly kind: "pause-for-input"; readonly cause: "text" | "budget" | "tool" }
  /** A person gave the result of the one call of a run without a model: it becomes the run's answer. */
  | { readonly kind: "write-result"; readonly call: BatchCall; readonly text: string }
  /** `code`: of the error, if that is not the stop reason. */
  | {
      readonly kind: "finish"
      readonly stopReason: StopReason
      readonly code?: string
      readonly message?: string
      readonly finish?: BatchCall
      readonly warning?: Warning
    }

/**
 * Returns the next step of a run. Pure: the same position always leads to the same step. What is open ends first. Then the answer and the calls of the
 * last model turn say what the run needs, its limits say what it may do, and the world outside says what it can do now.
 */
export const nextStep = (position: RunPosition): NextStep =>
  beforeWork(position) ?? whenPossible(position, withinLimits(position))

const beforeWork = (position: RunPosition): NextStep | undefined => {
  if (position.isPauseOver === true) return { kind: "end-pause" }
  if (isFinishEarly(position)) return { kind: "hold-finish" }
  return position.isHistoryLong === true ? { kind: "continue-as-new" } : undefined
}

/** Finishing would discard the work of active sub-agents, unless the next run takes them over. */
const isFinishEarly = ({ batch, activeChildren, isTakenOver }: RunPosition): boolean =>
  batch !== null && isFinishDue(batch) && activeChildren > 0 && isTakenOver !== true

/** Returns what follows the last model turn. */
const wanted = (position: RunPosition): NextStep => {
  const { batch, lastAnswer, unknownEnds = [] } = position
  // Of an answer that did not end normally no call runs, whatever its batch says.
  if (batch !== null && (lastAnswer === null || isNormalEnd(lastAnswer.stop)))
    return afterBatch(batch) ?? (position.isOneCall === true ? afterOneCall(batch) : { kind: "call-model" })
  if (position.waitingTexts > 0) return { kind: "call-model" }
  return lastAnswer === null
    ? (afterUnknownEnds(unknownEnds) ?? { kind: "call-model" })
    : afterText(position, lastAnswer)
}

const budgetText = "the budget does not cover another model call"

/** Returns what follows, as far as the limits of the run allow it. Only a model turn uses them up. */
const withinLimits = (position: RunPosition): NextStep => {
  const outOfSteps = failed("max_steps", `the run reached its limit of ${counted(position.maxSteps, "step")}`)
  if (position.stepsEnd === "answered") return outOfSteps
  const step = wanted(position)
  if (step.kind !== "call-model") return step
  if (position.noProgress !== undefined && position.waitingTexts === 0) {
    const { message, asksPerson } = position.noProgress
    return asksPerson || position.pauseOnText
      ? { kind: "pause-for-input", cause: "text" }
      : { kind: "finish", stopReason: "error", code: "no_progress", message }
  }
  if (position.budgetExhausted)
    return position.pauseOnText
      ? { kind: "pause-for-input", cause: "budget" }
      : failed("budget", position.budgetReason ?? budgetText)
  return position.stepsTaken >= position.maxSteps && position.stepsEnd !== "asked" ? outOfSteps : step
}

/** Returns a step, or what the run has to wait for before it can take it. */
const whenPossible = (position: RunPosition, step: NextStep): NextStep => {
  const canHandOver = step.kind === "wait-for-children" || (step.kind === "call-model" && position.isWaitOvertaken)
  if (canHandOver && position.isTakenOver === true) return { kind: "hand-over" }
  if (step.kind === "call-model") {
    if (position.isHistoryFull === true && position.activeChildren > 0) return { kind: "drain" }
    if (position.isProviderAway === true) return { kind: "wait-for-provider" }
    if (position.isRateLimited === true) return { kind: "wait-for-rate" }
  }
  if (step.kind !== "call-model" && step.kind !== "run-calls") return step
  if (position.needsSlot === true) return { kind: "wait-for-slot" }
  return step.kind === "call-model" && position.isOneCall === true ? { kind: "propose-call" } : step
}

/** So many times an answer is continued that was cut without calls. */
export const maxContinuations = 3
/** So many cut answers with calls in a row end the run. */
export const maxCuts = 3
/** So many answers in a row that end with different unknown words end the run. */
const maxUnknownEnds = 3
/** Providers pause a long turn more often than they cut one. */
const maxProviderPauses = 20

const failed = (stopReason: StopReason, message: string): NextStep => ({ kind: "finish", stopReason, message })

const afterCut = (position: RunPosition, { hasCalls }: LastAnswer): NextStep => {
  const remedy = "raise maxOutputTokens of the model, or ask for less at a time"
  const cuts = position.continuations
  if (hasCalls)
    return cuts < maxCuts
      ? { kind: "call-model" }
      : failed(
          "error",
          `the model's answer was cut off ${maxCuts} times in a row, so its calls were not run: ${remedy}`,
        )
  const continued = cuts - 1
  return continued < maxContinuations
    ? { kind: "call-model" }
    : failed("error", `the model's answer was still cut off after ${maxContinuations} continuations: ${remedy}`)
}

/** Returns how the run ends if its model's answers keep ending with unknown words; undefined to call the model again. */
const afterUnknownEnds = (words: readonly string[]): NextStep | undefined => {
  const last = words.at(-1)
  if (last === undefined || (words.indexOf(last) === words.length - 1 && words.length < maxUnknownEnds))
    return undefined
  const shown = JSON.stringify(last)
  return failed(
    "error",
    `the model's answer ended with ${shown} again, which is not a known end, so its calls were not run: if the server means a normal end, add ${shown} to normalEnds of the model`,
  )
}

/** Returns the end of a run whose model has said nothing, although it was asked for its report. */
const withoutReport = ({ hasChanged }: RunPosition): NextStep => {
  const message = "the model gave no answer, although it was asked for its report again"
  return hasChanged === true
    ? { kind: "finish", stopReason: "completed", warning: { code: "no_answer", message } }
    : { kind: "finish", stopReason: "error", code: "no_answer", message: `${message}: send a message to try again` }
}

/** Returns what follows an answer without calls that can run. */
const afterText = (position: RunPosition, answer: LastAnswer): NextStep => {
  switch (answer.stop) {
    case "refusal":
      return failed("refusal", "the model refused to continue: change the instruction, or use another model")
    case "context_exceeded":
      return failed(
        "error",
        "the conversation no longer fits into the model's context: start a new session, or use a model with a larger context",
      )
    case "max_tokens":
      return afterCut(position, answer)
    case "pause_turn":
      return position.continuations <= maxProviderPauses
        ? { kind: "call-model" }
        : failed("error", "the provider paused its turn too often without an answer: send a message to try again")
    case "unknown":
    case "end_turn":
    case "tool_calls":
      if (answer.hasCalls) return { kind: "call-model" }
      if (position.activeChildren > 0) return { kind: "wait-for-children" }
      if (!answer.hasText && position.emptyAnswers <= 1) return { kind: "call-model" }
      if (position.hasResultProblem) return { kind: "call-model" }
      if (position.pauseOnText) return { kind: "pause-for-input", cause: "text" }
      return answer.hasText || position.isReportAsked !== true || position.hasSaid === true
        ? { kind: "finish", stopReason: "completed" }
        : withoutReport(position)
    default:
      return assertNever(answer.stop)
  }
}

const afterBatch = (batch: ToolBatch): NextStep | undefined => {
  if (pendingCalls(batch).length > 0) return { kind: "pause-for-decisions" }
  if (askingCall(batch) !== undefined) return { kind: "pause-for-input", cause: "tool" }
  const calls = nextGroup(batch)
  if (calls.length > 0) return { kind: "run-calls", calls }
  if (!isBatchComplete(batch)) throw new Error("a batch is neither runnable nor complete")
  const finish = finishCall(batch)
  return finish === undefined ? undefined : { kind: "finish", stopReason: "completed", finish }
}

/** Returns what follows the one call of a run without a model. */
const afterOneCall = ({ calls: [call] }: ToolBatch): NextStep => {
  if (call === undefined) throw new Error("a run without a model proposed no call")
  const { name, state } = call
  if (state.at === "done" && state.failure !== undefined) {
    const { stopReason, error } = state.failure
    return { kind: "finish", stopReason, ...error }
  }
  if (state.at !== "settled") return { kind: "finish", stopReason: "completed" }
  const { outcome, content } = state.answer
  if (outcome === "custom") return { kind: "write-result", call, text: content }
  const code = outcome === "skipped" ? "skipped" : "rejected"
  return { kind: "finish", stopReason: "error", code, message: `${name}: ${content}` }
}
