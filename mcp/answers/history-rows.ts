import type { HistoryRow } from "../../domain/delegation/text/sanitise-history.ts"
import type { MessageRow } from "../../store/store.ts"

/** A transcript's rows as plain text. Thinking, and what only its provider understands, is left out. */
export const historyRow = ({ seq, message }: MessageRow): HistoryRow => {
  switch (message.role) {
    case "user":
      return { seq, role: message.role, source: message.source, text: message.text }
    case "tool":
      return { seq, role: message.role, tool: message.name, text: message.content }
    case "assistant": {
      const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
      const calls = message.parts.flatMap((part) =>
        part.type === "tool_call"
          ? [{ id: part.call.id, name: part.call.name, arguments: JSON.stringify(part.call.arguments) }]
          : [],
      )
      return { seq, role: message.role, text, ...(calls.length === 0 ? {} : { calls }) }
    }
  }
}

export const historyText = (rows: readonly HistoryRow[], omitted: number): string => {
  const shown = rows.map((row) => {
    const who = row.tool === undefined ? row.role : `${row.role} ${row.tool}`
    const calls = (row.calls ?? []).map((call) => `\n  calls ${call.name} ${call.arguments}`).join("")
    return `[${row.seq}] ${who}: ${row.text}${calls}`
  })
  const note = omitted === 0 ? [] : [`(${omitted} older or empty rows left out)`]
  return shown.length === 0 ? "Nothing was said yet." : [...note, ...shown].join("\n\n")
}
