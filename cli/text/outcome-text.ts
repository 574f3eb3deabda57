import type { OutcomeDocument } from "../../contracts/outcome-document.ts"
import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { rejectCommand, resumeCommand } from "../../domain/approval/resume-command.ts"
import { pendingCallLines } from "./approval-text.ts"
import { stepsText, usageText } from "./figures.ts"
import { decidedText, oneLine, plainText } from "./plain-text.ts"

export type PausedDocument = Extract<OutcomeDocument, { outcome: "paused" }>
type Failed = Extract<OutcomeDocument, { outcome: "failed" }>

/** The outcome of a run for people: the result for stdout, and the problem for stderr. */
export interface OutcomeText {
  readonly result: string
  readonly problem?: string
}

export const outcomeText = (document: OutcomeDocument): OutcomeText => {
  switch (document.outcome) {
    case "completed":
      return { result: plainText(document.final_message) }
    case "started":
      return {
        result: `Started task ${document.task_id}.\nFollow it with \`adjutant wait ${document.task_id}\`.`,
      }
    case "paused":
      return { result: pausedText(document) }
    case "failed":
      return failedText(document)
  }
}

/** Returns the last line of a watched run: `task k3x9ab · 3 steps · tokens … · $0.01`. */
export const summaryLine = (document: OutcomeDocument): string => {
  if (document.outcome === "started") return `task ${document.task_id}`
  return `task ${document.task_id} · ${stepsText(document.steps_taken)} · ${usageText(document.usage)}`
}

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

const pausedText = (document: PausedDocument): string => {
  const pending = document.pause_reason.pending_tool_calls ?? []
  const message = decidedText(document.agent_message).trim()
  const head =
    document.pause_reason.type === "input_required"
      ? `Task ${document.task_id} is paused: it is waiting for your answer.`
      : `Task ${document.task_id} is paused: ${pending.length === 1 ? "1 call is waiting" : `${pending.length} calls are waiting`} for your decision.`
  const body = [head, ...(message === "" ? [] : [message]), ...pending.map(pendingText)]
  return [...body, nextText(document, pending)].join("\n\n")
}

const pendingText = (call: PendingToolCall): string =>
  pendingCallLines(call, call.task_id === undefined ? "" : `, task ${call.task_id}`)
    .map((line) => `  ${line}`)
    .join("\n")

const nextText = (document: PausedDocument, pending: readonly PendingToolCall[]): string => {
  if (document.pause_reason.type === "input_required") return `Answer:   ${document.resume_hint}`
  const checkpointId = pending[0]?.checkpoint_id ?? document.checkpoint_id
  const calls = pending.filter((call) => call.checkpoint_id === pending[0]?.checkpoint_id)
  const approve = resumeCommand({ checkpointId, calls })
  // What follows the decision says where the task is, for a rejection as well.
  const place = document.resume_hint.startsWith(approve) ? document.resume_hint.slice(approve.length) : ""
  return [`Approve:  ${document.resume_hint}`, `Reject:   ${rejectCommand(checkpointId)}${place}`].join("\n")
}
