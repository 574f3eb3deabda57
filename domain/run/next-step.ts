import type { Warning } from "../../contracts/run/warning.ts"
import type { AssistantMessage } from "../../contracts/message.ts"
import type { StopReason } from "../../contracts/status.ts"
import { assertNever } from "../assert-never.ts"
import { counted } from "../text/figures.ts"
import { isNormalEnd } from "./answer-end.ts"
import {
  askingCall,
  type BatchCall,
  finishCall,
  isBatchComplete,
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
  /** How the last answer of a run is asked for that has used its steps: it is due, or given. Absent: none is asked for. */
  readonly lastWord?: "due" | "given" | undefined
  /** Why the run makes no progress; absent while it may. */
  readonly noProgress?: { readonly message: string; readonly asksPerson: boolean } | undefined
}

export type NextStep =
  | { readonly kind: "call-model" }
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
 * Returns the next step of a run. The calls of the last answer come first; then the model is called, until an answer without calls ends the run. What
 * forbids another model call (no progress, no budget, no steps left) is looked at last, so that calls that are open are finished in any case.
 */
export const nextStep = (position: RunPosition): NextStep => {
  const outOfSteps = failed("max_steps", `the run reached its limit of ${counted(position.maxSteps, "step")}`)
  if (position.lastWord === "given") return outOfSteps
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
  return position.stepsTaken >= position.maxSteps && position.lastWord !== "due" ? outOfSteps : step
}

const budgetText = "the budget does not cover another model call"

/** Returns the next step as far as calls, texts and the last answer decide it. */
const wanted = (position: RunPosition): NextStep => {
  const { batch, lastAnswer, unknownEnds = [] } = position
  // An answer that was cut or refused may lack a part of its calls, so none of them runs.
  if (batch !== null && (lastAnswer === null || isNormalEnd(lastAnswer.stop)))
    return afterBatch(batch) ?? (position.isOneCall === true ? afterOneCall(batch) : { kind: "call-model" })
  if (position.waitingTexts > 0) return { kind: "call-model" }
  return lastAnswer === null
    ? (afterUnknownEnds(unknownEnds) ?? { kind: "call-model" })
    : afterText(position, lastAnswer)
}

/** Returns what the calls of an answer still need; undefined once all of them have results. */
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
      // What the sub-agents report is what the model is called with next.
      if (position.activeChildren > 0) return { kind: "wait-for-children" }
      // An empty answer is often a slip of the server, so the model is asked for its report.
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

/** Returns what follows an answer that reached its output limit: the model continues it, unless that has failed too often. */
const afterCut = (position: RunPosition, { hasCalls }: LastAnswer): NextStep => {
  const remedy = "raise maxOutputTokens of the model, or ask for less at a time"
  if (hasCalls)
    return position.continuations < maxCuts
      ? { kind: "call-model" }
      : failed(
          "error",
          `the model's answer was cut off ${maxCuts} times in a row, so its calls were not run: ${remedy}`,
        )
  return position.continuations <= maxContinuations
    ? { kind: "call-model" }
    : failed("error", `the model's answer was still cut off after ${maxContinuations} continuations: ${remedy}`)
}

/**
 * Returns how the run ends if its model's answers keep ending with unknown words; undefined to call the model again. The same word twice is how this server
 * ends an answer, which another call would not change.
 */
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

/**
 * Returns the end of a run whose model gave no report although it was asked again. If a call has changed something, the run completes with a warning:
 * its work is done, and to fail would invite repeating it.
 */
const withoutReport = ({ hasChanged }: RunPosition): NextStep => {
  const message = "the model gave no answer, although it was asked for its report again"
  return hasChanged === true
    ? { kind: "finish", stopReason: "completed", warning: { code: "no_answer", message } }
    : { kind: "finish", stopReason: "error", code: "no_answer", message: `${message}: send a message to try again` }
}

export const maxContinuations = 3
/** So many cut answers with calls in a row end the run. */
export const maxCuts = 3
/** So many answers in a row that end with different unknown words end the run. */
const maxUnknownEnds = 3
/** Providers pause a long turn more often than they cut one. */
const maxProviderPauses = 20

const failed = (stopReason: StopReason, message: string): NextStep => ({ kind: "finish", stopReason, message })
