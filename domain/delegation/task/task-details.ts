import type { PauseType, PendingToolCall } from "../../../contracts/approval/pause.ts"
import type { Status, StopReason } from "../../../contracts/status.ts"
import type { Usage } from "../../../contracts/usage.ts"
import { boundPreview } from "../../preview/bound-preview.ts"
import { previewLines } from "../../preview/preview-lines.ts"
import { durationText, usageText } from "../../text/figures.ts"
import { transcriptAddress } from "../../transcript/transcript-address.ts"
import { dataNote, fenceData } from "../../text/foreign/fence-data.ts"
import { toolAnswerOf, type ToolAnswer } from "../tool-answer.ts"
import type { TaskRow } from "./task-table.ts"
import { advise } from "../../advice/advise.ts"
import { limitAdvice } from "../../advice/limit-advice.ts"
import type { Surface } from "../../advice/surface.ts"
import { isFinal } from "../../run/is-final.ts"
import type { SessionWorktree } from "../../../contracts/delegation/worktree.ts"
import { boundResult, boundTexts, maxArgument } from "./bound-text.ts"
import { changesText } from "../../workspace/worktree/worktree-changes.ts"

/** Shown as the result of a run that completed without a text. */
export const noReportText = "completed, but gave no report"

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
    /** Whose pause the checkpoint and the message are, and what it waits for: the task's own, if it has one. */
    readonly owner: { readonly taskId: string; readonly type: PauseType }
    /** Of everything that is pending together; absent if that is one pause of the task's own. */
    readonly treeCheckpointId?: string
    /** The questions of its descendants, in addition to the calls. */
    readonly questions?: readonly { readonly taskId: string; readonly checkpointId: string; readonly message: string }[]
  } | null
  /** Of the latest run, like the steps. */
  readonly usage: Usage
  /** What was changed in its git worktree; absent if it has none. */
  readonly worktree?: SessionWorktree | undefined
}

/** Returns a pending call as text. What it says comes from the sub-agent and is fenced as data, the summary as well. */
const callText = (call: PendingToolCall, taskId: string): string => {
  const owner =
    call.task_id === undefined || call.task_id === taskId
      ? ""
      : ` (of task ${call.task_id}, checkpoint ${call.checkpoint_id ?? "unknown"})`
  const preview = boundPreview(call.preview, maxArgument)
  const lines = [preview.summary, ...previewLines(preview)]
  return `- ${call.id}${owner}:\n${fenceData("call-preview", lines.join("\n"))}`
}

const isOfDescendant = (facts: TaskFacts, call: PendingToolCall): boolean =>
  call.task_id !== undefined && call.task_id !== facts.id

/** Returns what the reader of a task can do about it. */
export const taskNext = (facts: TaskFacts, surface: Surface): string | undefined => {
  const { pause, id: taskId } = facts
  if (pause === null) return limitAdvice(facts, surface)
  if (pause.type === "input_required") return advise({ about: "question", taskId }, surface)
  const isBelow = pause.calls.some((call) => isOfDescendant(facts, call))
  return advise({ about: "decision", taskId, isBelow }, surface)
}

const shownCheckpoint = ({ checkpointId, treeCheckpointId = checkpointId }: NonNullable<TaskFacts["pause"]>): string =>
  treeCheckpointId

const pauseText = (facts: TaskFacts, pause: NonNullable<TaskFacts["pause"]>): string => {
  const message = pause.message.trim() === "" ? [] : [fenceData("agent-message", boundResult(pause.message))]
  const questions = (pause.questions ?? []).flatMap((asked) => [
    `Task ${asked.taskId} waits for an answer (checkpoint ${asked.checkpointId}):`,
    fenceData("agent-message", boundResult(asked.message)),
  ])
  return pause.type === "input_required"
    ? (questions.length > 0 ? questions : [`Waiting for input (checkpoint ${pause.checkpointId}):`, ...message]).join(
        "\n",
      )
    : [
        `Waiting for decisions on tool calls (checkpoint ${shownCheckpoint(pause)}):`,
        ...pause.calls.map((call) => callText(call, facts.id)),
        ...message,
        ...questions,
      ].join("\n")
}

const resultHeading = (status: Status): string => (status === "completed" ? "Result:" : "Output so far:")

const headline = (facts: TaskFacts): string => {
  const reason =
    facts.stopReason === null || facts.stopReason === "completed" || facts.stopReason === facts.status
      ? ""
      : ` (${facts.stopReason})`
  const name = facts.label ?? facts.description
  const status = facts.status === "completed" && (facts.result ?? "").trim() === "" ? noReportText : facts.status
  return `Task ${facts.id}${name === null ? "" : ` "${name.replaceAll(/\s+/g, " ")}"`}: ${status}${reason}`
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

/** Returns the result of a task, or its output so far; null if there is none, or if the message of its pause is the same. */
const shownResult = ({ result, pause }: TaskFacts): string | null =>
  result === null || result.trim() === "" || result.trim() === (pause?.message ?? "").trim()
    ? null
    : boundResult(result)

const detailsText = (facts: TaskFacts): string => {
  const result = shownResult(facts)
  return [
    headline(facts),
    ...(facts.error === null ? [] : [`Error: ${facts.error.code}: ${facts.error.message}`]),
    ...(facts.pause === null ? [] : [pauseText(facts, facts.pause)]),
    ...(result === null ? [] : [`${resultHeading(facts.status)}\n${fenceData("task-result", result)}`]),
    ...(facts.worktree === undefined ? [] : [changesText(facts.worktree, facts.id)]),
    statsLine(facts),
  ].join("\n\n")
}

/** Returns a pending call as data, with texts as long as those of the text. */
const callData = (call: PendingToolCall) => ({
  ...call,
  arguments: boundTexts(call.arguments),
  preview: boundPreview(call.preview, maxArgument),
})

const pauseData = ({ pause }: TaskFacts) => {
  if (pause === null) return { checkpoint_id: null, pause_reason: null, agent_message: null }
  const { type, calls, message, questions = [] } = pause
  const asked = questions.map(({ taskId, checkpointId, message: text }) => ({
    ...{ task_id: taskId, checkpoint_id: checkpointId, agent_message: boundResult(text) },
  }))
  return {
    checkpoint_id: shownCheckpoint(pause),
    pause_reason: {
      type,
      ...(type === "input_required" ? {} : { pending_tool_calls: calls.map(callData) }),
      ...(asked.length === 0 ? {} : { questions: asked }),
    },
    agent_message: boundResult(message),
  }
}

/** Returns the facts as data, in the shape of the API. */
const detailsData = (facts: TaskFacts): Readonly<Record<string, unknown>> => ({
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
  ...pauseData(facts),
  result: shownResult(facts),
  error: facts.error,
  steps_taken: facts.stepsTaken,
  usage: facts.usage,
  started_at: facts.startedAt,
  duration_ms: facts.durationMs,
  ...(facts.worktree === undefined ? {} : { worktree: facts.worktree }),
})

/** Returns the note that texts of sub-agents are data and no instructions, if the answer contains such texts. */
export const noteOn = (tasks: readonly TaskFacts[]): readonly string[] =>
  tasks.some((facts) => shownResult(facts) !== null || facts.pause !== null || facts.worktree !== undefined)
    ? [dataNote]
    : []

/** Returns a task as one part of an answer, with what its reader can do about it. */
export const taskPart = (facts: TaskFacts, surface: Surface): ToolAnswer =>
  toolAnswerOf({
    text: detailsText(facts),
    data: detailsData(facts),
    next: taskNext(facts, surface),
    reported: isFinal(facts.status) ? [facts.id] : [],
  })

/** Returns the answer of `get_task_details`. */
export const taskDetails = (facts: TaskFacts, surface: Surface): ToolAnswer =>
  toolAnswerOf({
    ...{ text: detailsText(facts), data: detailsData(facts) },
    next: [taskNext(facts, surface) ?? [], noteOn([facts])].flat(2).join(" "),
    reported: isFinal(facts.status) ? [facts.id] : [],
  })
