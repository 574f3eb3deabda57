import type { HistoryRow } from "../../domain/delegation/text/sanitise-history.ts"

/** The rows as one text for a model. */
export const historyText = (rows: readonly HistoryRow[], omitted: number): string => {
  const shown = rows.map((row) => {
    const who = row.tool === undefined ? row.role : `${row.role} ${row.tool}`
    const calls = (row.calls ?? []).map((call) => `\n  calls ${call.name} ${call.arguments}`).join("")
    return `[${row.seq}] ${who}: ${row.text}${calls}`
  })
  const note = omitted === 0 ? [] : [`(${omitted} older or empty rows left out)`]
  return shown.length === 0 ? "Nothing was said yet." : [...note, ...shown].join("\n\n")
}
