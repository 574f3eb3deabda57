import { stripVTControlCharacters } from "node:util"

/** Returns a table whose columns are as wide as their widest cell, two spaces apart, without trailing blanks. Cells are single lines. */
export const table = (header: readonly string[], rows: readonly (readonly string[])[]): string => {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => cellWidth(row[column] ?? ""))))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - cellWidth(cell))))
      .join("  ")
      .trimEnd()
  return all.map(line).join("\n")
}

/** Returns the width of a cell; colours take none. */
const cellWidth = (cell: string): number => Array.from(stripVTControlCharacters(cell)).length
