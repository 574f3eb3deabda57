import type { AssistantMessage } from "../../contracts/message.ts"
import type { MessageRow } from "../../store/store.ts"

export const textOf = (message: AssistantMessage): string =>
  message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")

/** The text of a run's last assistant message that has one; cut answers that were continued are joined. */
export const lastText = (rows: readonly MessageRow[], runId: string): string => {
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
