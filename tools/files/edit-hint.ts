import { numberedLines } from "./text-lines.ts"

const maxShownLines = 12
const numberPrefix = /^\s*\d+\t/

const squeezed = (line: string): string => line.trim().replace(/\s+/g, " ")

/** Index of the first line from which `wanted` matches when spaces are not looked at; -1 where none does. */
const looseMatch = (lines: readonly string[], wanted: readonly string[]): number => {
  const squeezedLines = lines.map(squeezed)
  const first = wanted[0] ?? ""
  return squeezedLines.findIndex(
    (line, index) => line === first && wanted.every((want, offset) => squeezedLines[index + offset] === want),
  )
}

const trimmedBlock = (text: string): readonly string[] =>
  text
    .replace(/^\s*\n|\n\s*$/g, "")
    .split("\n")
    .map(squeezed)

const looseHint = (text: string, old: string): string | undefined => {
  const wanted = trimmedBlock(old)
  if (wanted.every((line) => line === "")) return undefined
  const lines = text.split("\n")
  const first = looseMatch(lines, wanted)
  if (first === -1) return undefined
  const shown = numberedLines(lines.slice(first, first + Math.min(wanted.length, maxShownLines)), first + 1)
  return `Lines ${first + 1} to ${first + wanted.length} differ from old_string only in white space (spaces, tabs or indentation). The file has:\n${shown}\nCopy the text exactly as it stands there.`
}

const withoutNumbers = (old: string): string =>
  old
    .split("\n")
    .map((line) => line.replace(numberPrefix, ""))
    .join("\n")

const unescaped = (old: string): string => old.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"')

/** Why a text was probably not found, and what to do. Both texts have `\n` as line ends. */
export const notFoundHint = (text: string, old: string): string => {
  const plain = withoutNumbers(old)
  if (plain !== old && text.includes(plain)) return "Leave out the line numbers that Read puts before each line."
  if (unescaped(old) !== old && text.includes(unescaped(old))) {
    return 'It is found when \\n, \\t and \\" are taken as line end, tab and quote: write those characters themselves.'
  }
  const loose = looseHint(text, old)
  if (loose !== undefined) return loose
  const start = text.toLowerCase().indexOf(old.toLowerCase())
  if (start !== -1) {
    return `Line ${text.slice(0, start).split("\n").length} has it with other upper and lower case letters.`
  }
  return "Read the file again: it may have changed, or the text may stand elsewhere."
}
