/** Lines as `cat -n` shows them: number, tab, text. `first` is the number of the first line. */
export const numberedLines = (lines: readonly string[], first: number): string =>
  lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join("\n")

/** Cuts a line to `max` characters, saying how much is missing; never splits a surrogate pair. */
export const cutLine = (line: string, max: number): string => {
  if (line.length <= max) return line
  const kept = line.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")
  return `${kept}… [${line.length - kept.length} more characters in this line]`
}
