import type { Message } from "../../contracts/message.ts"
import type { HistoryRow } from "./sanitise-history.ts"
import { answerText } from "./last-text.ts"

/** Returns a transcript row as plain text, without thinking and provider-specific parts. */
export const historyRow = ({ seq, message }: { readonly seq: number; readonly message: Message }): HistoryRow => {
  switch (message.role) {
    case "user":
      return { seq, role: message.role, source: message.source, text: message.text }
    case "tool":
      return { seq, role: message.role, tool: message.name, text: message.content }
    case "assistant": {
      const calls = message.parts.flatMap((part) =>
        part.type === "tool_call"
          ? [{ id: part.call.id, name: part.call.name, arguments: JSON.stringify(part.call.arguments ?? {}) }]
          : [],
      )
      return { seq, role: message.role, text: answerText(message), ...(calls.length === 0 ? {} : { calls }) }
    }
  }
}
