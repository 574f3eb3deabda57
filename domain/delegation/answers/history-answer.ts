import { counted } from "../../text/figures.ts"
import { dataNote, fenceData } from "../../text/foreign/fence-data.ts"
import type { HistoryRow, SanitisedHistory } from "../../transcript/sanitise-history.ts"
import { toolAnswerOf, type ToolAnswer } from "../tool-answer.ts"

const rowText = (row: HistoryRow): string => {
  const calls = (row.calls ?? []).map((call) => `\n→ ${call.name} ${call.arguments}`).join("")
  return `[${row.seq}] ${row.tool ?? row.source ?? row.role}: ${row.text}${calls}`
}

/** Returns the answer of `sessions_history` and `subagents {action: "log"}`. */
export const historyAnswer = (sessionId: string, { rows, omitted }: SanitisedHistory): ToolAnswer => {
  const note = omitted === 0 ? [] : [`(${counted(omitted, "older or empty row")} left out)`]
  const shown =
    rows.length === 0 ? "Nothing was said yet." : fenceData("session-history", rows.map(rowText).join("\n\n"))
  return toolAnswerOf({
    text: [...note, shown].join("\n\n"),
    data: { session_id: sessionId, rows, omitted },
    next: rows.length === 0 ? undefined : dataNote,
  })
}
