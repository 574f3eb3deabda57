import type { EventType } from "../../contracts/event.ts"
import type { Message } from "../../contracts/message.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { isDelta, wholeText } from "./delta.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { previewOf } from "../../domain/text/preview.ts"

/** What an event says that its message says already, and that is therefore stored there only. Nothing where the message was erased. */
export const dataOfMessage = (type: EventType, message: Message | undefined): Readonly<Record<string, unknown>> => {
  if (isDelta(type)) return { text: message === undefined ? "" : wholeText(type, message), whole: true }
  if (type === "tool-calls-proposed") return { tool_calls: callsIn(message) }
  if (type === "tool-finished") return { preview: message === undefined ? "" : previewOf(textOf(message)) }
  return {}
}

/** A program's or a bridge's result is the session's answer. */
const textOf = (message: Message): string => {
  switch (message.role) {
    case "tool":
      return message.content
    case "assistant":
      return wholeText("text-delta", message)
    case "user":
      return message.text
    default:
      return assertNever(message)
  }
}

const callsIn = (message: Message | undefined): readonly unknown[] =>
  toolCallsOf(message).map(({ id, name, arguments: args }) => ({ id, name, arguments: args ?? {} }))
