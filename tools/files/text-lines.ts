import { startOf } from "../../domain/text/foreign/well-formed.ts"

/** Formats lines as `cat -n` does: number, tab, text. `first` is the number of the first line. */
export const numberedLines = (lines: readonly string[], first: number): string =>
  lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join("\n")

/** Cuts a line to `max` characters and appends how many of its `length` are missing. Never splits a surrogate pair. */
export const cutLine = (line: string, max: number, length = line.length): string => {
  if (length <= max) return line
  const kept = startOf(line, max)
  return `${kept}… [${length - kept.length} more characters in this line]`
}
