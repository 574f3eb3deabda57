import type { PauseRow, SessionRow } from "../../store/store.ts"

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, 120)

/** Who asks for what, in one line. */
export const pauseSummary = (row: SessionRow, pause: PauseRow): string => {
  const title = row.title === null ? "" : ` "${oneLine(row.title)}"`
  const who = `Agent ${row.agent} (${row.id})${title}`
  if (pause.type === "input_required") return `${who} asks for input.`
  const names = [...new Set(pause.calls.map(({ name }) => name))].join(", ")
  const count = pause.calls.length
  return `${who} asks for approval of ${count === 1 ? "one call" : `${count} calls`}: ${names}.`
}
