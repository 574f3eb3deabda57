import type { AssistantMessage, Message } from "../../contracts/message.ts"

/** Returns the text of a model's answer, without its thinking and its calls. */
export const textOf = (message: AssistantMessage): string =>
  message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")

/** Returns the text of any message, as the transcript shows it. */
export const messageText = (message: Message): string =>
  message.role === "user" ? message.text : message.role === "tool" ? message.content : textOf(message)

/** A transcript row with its message. */
export interface TextRow {
  readonly runId: string
  readonly message: Message
}

/** Returns the text of a run's last assistant message with text, joined with the cut answers that it continues; empty if there is none. */
export const lastText = (rows: readonly TextRow[], runId: string): string => {
  const own = rows.filter((row) => row.runId === runId)
  let text = ""
  for (const { message } of own.toReversed()) {
    if (message.role === "tool") {
      if (text !== "") return text
      continue
    }
    if (message.role === "user") {
      if (text !== "" && message.source !== "notice") return text
      continue
    }
    if (text !== "" && message.stop !== "max_tokens" && message.stop !== "pause_turn") return text
    text = textOf(message) + text
  }
  return text
}
