/** Formats lines as `cat -n` does: number, tab, text. `first` is the number of the first line. */
export const numberedLines = (lines: readonly string[], first: number): string =>
  lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join("\n")

/** Cuts a line to `max` characters and appends how many of its `length` are missing. Never splits a surrogate pair. */
export const cutLine = (line: string, max: number, length = line.length): string => {
  if (length <= max) return line
  const kept = line.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")
  return `${kept}… [${length - kept.length} more characters in this line]`
}
