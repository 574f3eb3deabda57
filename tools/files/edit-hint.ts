import { numberedLines } from "./text-lines.ts"

const maxShownLines = 12
/** The searches for a hint take, at worst, so many steps: about a second. */
const maxComparisons = 1_000_000_000
const numberPrefix = /^\s*\d+\t/

const squeezed = (line: string): string => line.trim().replace(/\s+/g, " ")

/** Returns the index of the first line from which `wanted` matches if white space is ignored; -1 if none does. */
const looseMatch = (lines: readonly string[], wanted: readonly string[]): number => {
  const squeezedLines = lines.map(squeezed)
  const first = wanted[0] ?? ""
  return squeezedLines.findIndex(
    (line, index) => line === first && wanted.every((want, offset) => squeezedLines[index + offset] === want),
  )
}

/** Returns the lines without blank ones at the start and the end. */
const trimmedBlock = (text: string): readonly string[] => {
  const lines = text.split("\n").map(squeezed)
  const first = lines.findIndex((line) => line !== "")
  return lines.slice(Math.max(0, first), lines.findLastIndex((line) => line !== "") + 1)
}

const looseHint = (text: string, old: string): string | undefined => {
  const wanted = trimmedBlock(old)
  if (wanted.length === 0) return undefined
  const lines = text.split("\n")
  const first = looseMatch(lines, wanted)
  if (first === -1) return undefined
  const shown = numberedLines(lines.slice(first, first + Math.min(wanted.length, maxShownLines)), first + 1)
  return `lines ${first + 1} to ${first + wanted.length} differ from it only in white space (spaces, tabs or indentation); copy the text exactly as in the file:\n${shown}`
}

const withoutNumbers = (old: string): string =>
  old
    .split("\n")
    .map((line) => line.replace(numberPrefix, ""))
    .join("\n")

const unescaped = (old: string): string => old.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"')

/** Returns why a text was probably not found, and what to do. Both texts have `\n` as line ends. */
export const notFoundHint = (text: string, old: string): string => {
  const unknown = "read the file again, since it may have changed or the text may be in another file"
  if (text.length * old.length > maxComparisons) return unknown
  const plain = withoutNumbers(old)
  if (plain !== old && text.includes(plain)) return "leave out the line numbers that Read shows before each line"
  if (unescaped(old) !== old && text.includes(unescaped(old))) {
    return 'it occurs if \\n, \\t and \\" are read as line end, tab and quote; write those characters themselves'
  }
  const loose = looseHint(text, old)
  if (loose !== undefined) return loose
  const start = text.toLowerCase().indexOf(old.toLowerCase())
  if (start !== -1) {
    return `line ${text.slice(0, start).split("\n").length} contains it with different upper and lower case`
  }
  return unknown
}
