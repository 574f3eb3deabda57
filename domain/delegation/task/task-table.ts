import type { Status } from "../../../contracts/status.ts"
import { durationText } from "../../text/figures.ts"

/** One row of `get_all_tasks`. Times are ISO 8601 UTC. */
export interface TaskRow {
  readonly id: string
  /** Its number among the sub-agents of its parent or caller; null if it has none. */
  readonly number?: number | null
  readonly status: Status
  readonly description: string | null
  readonly startedAt: string | null
  /** Milliseconds of the latest run so far. */
  readonly durationMs: number | null
  readonly stepsTaken: number
}

const maxDescriptionChars = 80

/** Returns the text of a cell: one line, with escapes for characters that end the cell or start markup. */
const cell = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  const chars = Array.from(line)
  const short = chars.length > maxDescriptionChars ? `${chars.slice(0, maxDescriptionChars - 1).join("")}…` : line
  return short.replaceAll(/[\\|`<]/g, String.raw`\$&`)
}

const startText = (iso: string | null): string =>
  iso === null ? "-" : iso.replace("T", " ").replace(/(?:\.\d+)?Z$/, "Z")

const rowCells = (row: TaskRow): readonly string[] => [
  row.id,
  row.status,
  cell(row.description ?? "-"),
  startText(row.startedAt),
  row.durationMs === null ? "-" : durationText(row.durationMs),
  String(row.stepsTaken),
]

const headings = ["ID", "Status", "Description", "Started", "Duration", "Steps"] as const

const tableOf = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** Returns the Markdown table of `get_all_tasks`, in the order of the rows. */
export const taskTable = (rows: readonly TaskRow[]): string =>
  rows.length === 0 ? "No tasks." : tableOf(headings, rows.map(rowCells))

/** Returns the Markdown table of sub-agents with their numbers, in the order of the rows. */
export const numberedTaskTable = (rows: readonly TaskRow[]): string =>
  rows.length === 0
    ? "No tasks."
    : tableOf(
        ["#", ...headings],
        rows.map((row) => [row.number == null ? "-" : `#${row.number}`, ...rowCells(row)]),
      )
