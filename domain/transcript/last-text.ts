import type { AssistantMessage, Message, MessageSource } from "../../contracts/message.ts"

/** Returns the text of a model's answer, without its thinking and its calls. */
export const answerText = (message: AssistantMessage): string =>
  message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")

/** Returns the text of any message, as the transcript shows it. */
export const messageText = (message: Message): string =>
  message.role === "user" ? message.text : message.role === "tool" ? message.content : answerText(message)

/** A transcript row with its message. */
export interface TextRow {
  readonly runId: string
  readonly message: Message
}

/** Rows of Adjutant itself, which come between an answer that was cut off and its continuation. */
const ownSources: readonly MessageSource[] = ["notice", "compaction"]

/** Why an answer was cut off that the next one continues. */
const cutStops: readonly AssistantMessage["stop"][] = ["max_tokens", "pause_turn", "context_exceeded"]

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
      if (text !== "" && !ownSources.includes(message.source)) return text
      continue
    }
    if (text !== "" && !cutStops.includes(message.stop)) return text
    text = answerText(message) + text
  }
  return text
}
