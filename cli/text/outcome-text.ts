import { budgetAdvice } from "../../domain/advice/limit-advice.ts"
import { counted } from "../../domain/text/figures.ts"
import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { rejectCommand, resumingShellCommand } from "../../domain/approval/resume-command.ts"
import { pendingCallLines } from "./approval-text.ts"
import { usageWithCost } from "./figures.ts"
import { withWords } from "../program/place-flags.ts"
import { noPaint, type Paint } from "../terminal/paint.ts"
import { decidedText, oneLine, plainText } from "../terminal/plain-text.ts"

export type PausedDocument = Extract<OutcomeDocument, { outcome: "paused" }>
type Failed = Extract<OutcomeDocument, { outcome: "failed" }>

/** The outcome of a run for people: the result for stdout, and the problem for stderr. */
export interface OutcomeText {
  readonly result: string
  readonly problem?: string
}

/** What the text of an outcome depends on. */
export interface OutcomeTextOptions {
  /** A text of the model that is already there and is not repeated. */
  readonly shownAnswer?: string
  readonly paint?: Paint
  /** The words with which a command finds a task that was started; those of a pause are in its document. */
  readonly place?: readonly string[]
  /** The task was there before: it continues. */
  readonly isContinued?: boolean
}

const unlessShown = (text: string, shownAnswer: string): string => (text.trim() === shownAnswer.trim() ? "" : text)

export const outcomeText = (
  document: OutcomeDocument,
  { shownAnswer = "", paint = noPaint, place = [], isContinued = false }: OutcomeTextOptions = {},
): OutcomeText => {
  switch (document.outcome) {
    case "completed":
      return { result: plainText(unlessShown(document.final_message, shownAnswer)) }
    case "started":
      return {
        result: `${isContinued ? `Task ${document.task_id} continues.` : `Started task ${document.task_id}.`}\nFollow it with \`${withWords(`adjutant wait ${document.task_id}`, place)}\`.`,
      }
    case "paused":
      return { result: pausedText(document, shownAnswer, paint) }
    case "failed":
      return failedText({ ...document, partial_output: unlessShown(document.partial_output ?? "", shownAnswer) })
  }
}

/** Returns what a run has used, as the end of a line: ` · 3 steps · tokens … · $0.01`. */
export const usedText = (document: OutcomeDocument): string =>
  document.outcome === "started" ? "" : ` · ${counted(document.steps_taken, "step")} · ${usageWithCost(document.usage)}`

/** Returns the last line of a run at a terminal: `task k3x9ab · 3 steps · tokens … · $0.01`. */
export const summaryLine = (document: OutcomeDocument): string => `task ${document.task_id}${usedText(document)}`

const failedText = (document: Failed): OutcomeText => ({
  result: plainText(document.partial_output ?? ""),
  problem: `task ${document.task_id} ${failures[document.stop_reason]}: ${oneLine(document.error.message, 1000)}`,
})

const failures: Readonly<Record<Failed["stop_reason"], string>> = {
  completed: "failed",
  max_steps: "reached its step limit",
  budget: "used up its budget",
  timeout: "reached its time limit",
  cancelled: "was cancelled",
  terminated: "was terminated",
  error: "failed",
  refusal: "was refused by the model",
}

/** Returns what is pending and the model's text, unless that is `shownAnswer`. */
export const pauseHead = (document: PausedDocument, shownAnswer = ""): string => {
  const pending = document.pause_reason.pending_tool_calls ?? []
  const message = unlessShown(decidedText(document.agent_message).trim(), shownAnswer)
  const head =
    document.pause_reason.type === "input_required"
      ? `Task ${document.task_id} is paused: it is waiting for your answer.`
      : `Task ${document.task_id} is paused: ${pending.length === 1 ? "1 call is waiting" : `${pending.length} calls are waiting`} for your decision.`
  const advice = budgetAdvice(message)
  return [
    head,
    ...(message === "" ? [] : [message]),
    ...(advice === undefined ? [] : [`To continue, ${advice}.`]),
  ].join("\n\n")
}

const pausedText = (document: PausedDocument, shownAnswer: string, paint: Paint): string => {
  const pending = document.pause_reason.pending_tool_calls ?? []
  const calls = pending.map((call) => pendingText(call, paint))
  return [pauseHead(document, shownAnswer), ...calls, howToContinue(document)].join("\n\n")
}

const pendingText = (call: PendingToolCall, paint: Paint): string =>
  pendingCallLines(call, call.task_id === undefined ? "" : `, task ${call.task_id}`, paint)
    .map((line) => `  ${line}`)
    .join("\n")

/** Returns the text for a pause that the person at the terminal has seen and leaves open. */
export const leftText = (document: PausedDocument): string =>
  `\nTask ${document.task_id} stays paused; nothing was decided. To continue:\n\n${howToContinue(document)}`

/** Returns the commands that continue a paused task. */
const howToContinue = (document: PausedDocument): string => {
  const pending = document.pause_reason.pending_tool_calls ?? []
  if (document.pause_reason.type === "input_required") return `Answer:   ${document.resume_hint}`
  const checkpointId = pending[0]?.checkpoint_id ?? document.checkpoint_id
  const calls = pending.filter((call) => call.checkpoint_id === pending[0]?.checkpoint_id)
  const approve = resumingShellCommand({ checkpointId, calls })
  // What follows the decision says where the task is, for a rejection as well.
  const place = document.resume_hint.startsWith(approve) ? document.resume_hint.slice(approve.length) : ""
  return [`Approve:  ${document.resume_hint}`, `Reject:   ${rejectCommand(checkpointId)}${place}`].join("\n")
}
