import { stripVTControlCharacters } from "node:util"
import type { TextSink } from "../terminal/process-io.ts"

/** How a table fits into a terminal. */
export interface TableFit {
  /** The columns of the terminal; undefined if nothing is fitted, as in a file. */
  readonly columns: number | undefined
  /** The columns of the table that are left out if the last one would have too little room, first ones first. */
  readonly dropped?: readonly string[]
}

const leastRest = 20
const gap = 2

/** Returns a table whose columns are as wide as their widest cell, two spaces apart, without trailing blanks. Cells are single lines. */
export const table = (
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { columns, dropped = [] }: TableFit = { columns: undefined },
): string => {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => lengthOf(row[column] ?? ""))))
  if (columns !== undefined) {
    const rest = columns - widths.slice(0, -1).reduce((sum, width) => sum + width + gap, 0)
    const [first, ...others] = dropped
    if (rest < Math.min(leastRest, widths.at(-1) ?? 0) && first !== undefined) {
      const at = header.indexOf(first)
      const [ownHeader = [], ...ownRows] = all.map((row) => row.filter((_, column) => column !== at))
      return table(ownHeader, ownRows, { columns, dropped: others })
    }
    widths[widths.length - 1] = Math.max(rest, lengthOf(header.at(-1) ?? ""))
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        padded(column === header.length - 1 ? cut(cell, widths.at(-1)) : cell, widths[column] ?? 0),
      )
      .join(" ".repeat(gap))
      .trimEnd()
  return all.map(line).join("\n")
}

const padded = (cell: string, width: number): string => cell + " ".repeat(Math.max(0, width - lengthOf(cell)))

const cut = (cell: string, width = 0): string =>
  lengthOf(cell) <= width
    ? cell
    : `${Array.from(stripVTControlCharacters(cell))
        .slice(0, width - 1)
        .join("")}…`

/** Returns the width of a cell; colours take none. */
const lengthOf = (cell: string): number => Array.from(stripVTControlCharacters(cell)).length

/** Returns the columns of a terminal to which tables are fitted; undefined for a file or a pipe. */
export const columnsOf = ({ isTTY, columns }: TextSink): number | undefined =>
  isTTY === true && columns !== 0 ? columns : undefined
