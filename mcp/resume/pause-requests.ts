import { inputRequired, type InputRequests } from "@modelcontextprotocol/server"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { boundPreview } from "../../domain/preview/bound-preview.ts"
import { changeLines } from "../../domain/preview/change-lines.ts"
import { noticesOf } from "../../domain/preview/preview-lines.ts"
import type { TaskFacts } from "../../domain/delegation/task/task-details.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import { shownText } from "../answers/shown-text.ts"

const maxFormPreviewChars = 4_000
const maxMessageChars = 1_000
/** Lines of the change in the description of a field, for clients that show little of the message. */
const mostDescribed = 8

const taskTitle = (facts: TaskFacts): string =>
  facts.description === null ? facts.id : `${facts.id} (${shownText(facts.description, 100)})`

/** Returns what a call would do, in lines of which the first ones show the change: some clients show three lines of a form. */
const callLines = (preview: CallPreview): readonly string[] => {
  const bounded = boundPreview(preview, maxFormPreviewChars)
  const { diff, text } = bounded
  const body = diff === undefined ? (text?.trimEnd().split("\n") ?? []) : changeLines(diff)
  return [preview.summary, ...noticesOf(bounded).map((notice) => `! ${notice}`), ...body]
}

const approvalRequest = (facts: TaskFacts, call: PendingToolCall) => {
  const owner = call.task_id === undefined || call.task_id === facts.id ? "" : `, by its sub-agent ${call.task_id}`
  const message = facts.pause === null || facts.pause.message.trim() === "" ? "" : facts.pause.message
  return inputRequired.elicit({
    mode: "form",
    message: [
      ...callLines(call.preview),
      "",
      `Sub-agent ${taskTitle(facts)} requests approval to run ${shownText(call.name, 100)}${owner}.`,
      ...(message === "" ? [] : [`Its message: ${shownText(message, maxMessageChars)}`]),
    ].join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          description: startOf(callLines(call.preview).slice(0, mostDescribed).join("\n"), maxMessageChars),
          enum: ["approve", "reject"],
        },
        reason: {
          type: "string",
          title: "Reason",
          description: "If you reject, the sub-agent receives this reason",
          maxLength: 2_000,
        },
      },
      required: ["decision"],
    },
  })
}

const answerRequest = (facts: TaskFacts, message: string) =>
  inputRequired.elicit({
    mode: "form",
    message: `Sub-agent ${taskTitle(facts)} asks:\n${shownText(message, maxMessageChars * 4)}`,
    requestedSchema: {
      type: "object",
      properties: { answer: { type: "string", title: "Answer", minLength: 1, maxLength: 20_000 } },
      required: ["answer"],
    },
  })

/** Returns the key of a question. Checkpoint ids are unique and a call is decided once, so that no key is used twice. */
const questionKey = (checkpointId: string, callId: string): string => `${checkpointId}/${callId}`

export const parseRequestKey = (
  key: string,
): { readonly checkpointId: string; readonly callId: string | undefined } => {
  const slash = key.indexOf("/")
  return slash === -1
    ? { checkpointId: key, callId: undefined }
    : { checkpointId: key.slice(0, slash), callId: key.slice(slash + 1) }
}

/** Returns what a paused task waits for, as questions to the person at the client. */
export const pauseRequests = (facts: TaskFacts): InputRequests => {
  const { pause } = facts
  if (pause === null) return {}
  if (pause.type === "input_required") return { [pause.checkpointId]: answerRequest(facts, pause.message) }
  return Object.fromEntries(
    pause.calls.map((call) => [
      questionKey(call.checkpoint_id ?? pause.checkpointId, call.id),
      approvalRequest(facts, call),
    ]),
  )
}
