import type { PauseType, PendingToolCall } from "../../../contracts/approval/pause.ts"
import type { Status, StopReason } from "../../../contracts/status.ts"
import type { Usage } from "../../../contracts/usage.ts"
import { boundPreview } from "../../preview/bound-preview.ts"
import { previewLines } from "../../preview/preview-lines.ts"
import { durationText } from "../../text/figures.ts"
import { transcriptAddress } from "../../transcript/transcript-address.ts"
import { fenceData } from "../text/fence-data.ts"
import type { ToolAnswer } from "../tool-answer.ts"
import { usageText } from "../text/usage-text.ts"
import type { TaskRow } from "./task-table.ts"
import { startOf } from "../../text/foreign/well-formed.ts"

/** The facts about one task. */
export interface TaskFacts extends TaskRow {
  readonly sessionKey: string
  readonly label: string | null
  readonly agent: string
  readonly model: string
  readonly stopReason: StopReason | null
  readonly runId: string | null
  /** Final text, or the partial text of a run that did not complete. */
  readonly result: string | null
  readonly error: { readonly code: string; readonly message: string } | null
  /** What is pending, including its descendants' calls, which carry their own `task_id` and `checkpoint_id`. */
  readonly pause: {
    readonly checkpointId: string
    readonly type: PauseType
    readonly message: string
    readonly calls: readonly PendingToolCall[]
  } | null
  /** Of the latest run, like the steps. */
  readonly usage: Usage
}

/** Characters of a result in an answer; the rest is in the transcript. */
const maxResultChars = 60_000
const maxPreviewChars = 4_000

const cut = (text: string, maxChars: number, rest: string): string =>
  text.length <= maxChars ? text : `${startOf(text, maxChars)}\n[cut: ${rest}]`

/** Returns a pending call. What it says is data of the sub-agent, its summary included. */
const callText = (call: PendingToolCall, taskId: string): string => {
  const owner = call.task_id === undefined || call.task_id === taskId ? "" : ` (of task ${call.task_id})`
  const preview = boundPreview(call.preview, maxPreviewChars)
  const lines = [preview.summary, ...previewLines(preview)]
  return `- ${call.id}${owner}:\n${fenceData("call-preview", lines.join("\n"))}`
}

/** Returns how a model or a person can resume the task from this pause. */
const pauseText = (facts: TaskFacts, pause: NonNullable<TaskFacts["pause"]>): string => {
  if (pause.type === "input_required")
    return `Waiting for input (checkpoint ${pause.checkpointId}):\n${fenceData("agent-message", pause.message)}\nAnswer with resume_subagent_task {task_id: "${facts.id}", input: "…"}.`
  const foreign = pause.calls.some((call) => call.task_id !== undefined && call.task_id !== facts.id)
  return [
    `Waiting for decisions on tool calls (checkpoint ${pause.checkpointId}):`,
    ...pause.calls.map((call) => callText(call, facts.id)),
    ...(pause.message.trim() === "" ? [] : [fenceData("agent-message", pause.message)]),
    foreign
      ? "Decide each call with resume_subagent_task on the task that owns it. Calls that you do not list are rejected."
      : `Decide with resume_subagent_task {task_id: "${facts.id}", approve: […], reject: […]}. Calls that you do not list are rejected.`,
  ].join("\n")
}

const resultHeading = (status: Status): string => (status === "completed" ? "Result:" : "Output so far:")

const headline = (facts: TaskFacts): string => {
  const reason =
    facts.stopReason === null || facts.stopReason === "completed" || facts.stopReason === facts.status
      ? ""
      : ` (${facts.stopReason})`
  const name = facts.label ?? facts.description
  return `Task ${facts.id}${name === null ? "" : ` "${name.replaceAll(/\s+/g, " ")}"`}: ${facts.status}${reason}`
}

const statsLine = (facts: TaskFacts): string =>
  [
    `agent ${facts.agent}`,
    `model ${facts.model}`,
    `steps ${facts.stepsTaken}`,
    ...(facts.durationMs === null ? [] : [`runtime ${durationText(facts.durationMs)}`]),
    usageText(facts.usage),
    `transcript ${transcriptAddress(facts.id)}`,
  ].join(" · ")

export const taskDetailsText = (facts: TaskFacts): string =>
  [
    headline(facts),
    ...(facts.error === null ? [] : [`Error: ${facts.error.code}: ${facts.error.message}`]),
    ...(facts.pause === null ? [] : [pauseText(facts, facts.pause)]),
    ...(facts.result === null || facts.result === ""
      ? []
      : [
          `${resultHeading(facts.status)}\n${fenceData("task-result", cut(facts.result, maxResultChars, "the transcript has the full text"))}`,
        ]),
    statsLine(facts),
  ].join("\n\n")

/** Returns the same facts as data, in the shape of the API. */
export const taskDetailsData = (facts: TaskFacts): Readonly<Record<string, unknown>> => ({
  task_id: facts.id,
  session_id: facts.id,
  session_key: facts.sessionKey,
  description: facts.description,
  label: facts.label,
  agent: facts.agent,
  model: facts.model,
  status: facts.status,
  stop_reason: facts.stopReason,
  run_id: facts.runId,
  checkpoint_id: facts.pause?.checkpointId ?? null,
  pause_reason:
    facts.pause === null
      ? null
      : facts.pause.type === "input_required"
        ? { type: facts.pause.type }
        : { type: facts.pause.type, pending_tool_calls: facts.pause.calls },
  agent_message: facts.pause?.message ?? null,
  result: facts.result,
  error: facts.error,
  steps_taken: facts.stepsTaken,
  usage: facts.usage,
  started_at: facts.startedAt,
  duration_ms: facts.durationMs,
})

/** Returns the answer of `get_task_details`. */
export const taskDetails = (facts: TaskFacts): ToolAnswer => ({
  text: taskDetailsText(facts),
  structured: taskDetailsData(facts),
  isError: false,
})
