import type { TextEdit } from "../../contracts/tool-input.ts"
import { notFoundHint } from "./edit-hint.ts"
import { maxEditBytes } from "./read-text-file.ts"
import { ToolFailure } from "../tool-failure.ts"

/** Returns, for each prefix of a text, the length of its longest proper prefix that it also ends with. */
const prefixLengths = (text: string): Int32Array => {
  const lengths = new Int32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = lengths[length - 1] ?? 0
    if (text.charCodeAt(at) === text.charCodeAt(length)) length += 1
    lengths[at] = length
  }
  return lengths
}

/**
 * Returns the offsets at which `wanted` occurs, at most `max` of them. Takes time proportional to the length of the texts (Knuth, Morris and
 * Pratt), which `indexOf` in a loop does not if both texts repeat themselves.
 */
export const findOccurrences = (
  text: string,
  wanted: string,
  { overlapping, max }: { readonly overlapping: boolean; readonly max: number },
): readonly number[] => {
  if (wanted === "") return []
  const lengths = prefixLengths(wanted)
  const found: number[] = []
  let matched = 0
  for (let at = 0; at < text.length && found.length < max; at += 1) {
    const code = text.charCodeAt(at)
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = lengths[matched - 1] ?? 0
    if (code === wanted.charCodeAt(matched)) matched += 1
    if (matched < wanted.length) continue
    found.push(at + 1 - wanted.length)
    matched = overlapping ? (lengths[matched - 1] ?? 0) : 0
  }
  return found
}

/** An edited text and the number of replacements. `at` is the offset of the first one in the new text. */
export interface AppliedEdit {
  readonly text: string
  readonly count: number
  readonly at: number
}

const maxReplaced = 1_000_000
const maxCounted = 1_000

const unixLines = (text: string): string => text.replaceAll("\r\n", "\n")

/** Returns the line end that most lines of a text have. */
export const lineEnd = (text: string): "\n" | "\r\n" => {
  const windows = text.split("\r\n").length - 1
  return windows * 2 > text.split("\n").length - 1 ? "\r\n" : "\n"
}

/** Returns the line end that all lines of a text have; undefined if they differ, or if there is none. */
export const uniformLineEnd = (text: string): "\n" | "\r\n" | undefined => {
  const [all, windows] = [text.split("\n").length - 1, text.split("\r\n").length - 1]
  if (all === 0) return undefined
  return windows === 0 ? "\n" : windows === all ? "\r\n" : undefined
}

/** Returns a text with the line ends of the one that it replaces, if those are all the same. */
export const withLineEndsOf = (before: string, text: string): string => {
  const end = uniformLineEnd(before)
  return end === undefined ? text : unixLines(text).replaceAll("\n", end)
}

/** Converts positions in the text with `\n` only into positions in the original text. `positions` are in ascending order. */
const originalPositions = (text: string, positions: readonly number[]): readonly number[] => {
  let removed = 0
  let nextReturn = text.indexOf("\r\n")
  return positions.map((position) => {
    while (nextReturn !== -1 && nextReturn < position + removed) {
      removed += 1
      nextReturn = text.indexOf("\r\n", nextReturn + 2)
    }
    return position + removed
  })
}

const placesToReplace = (text: string, edit: TextEdit): readonly number[] => {
  const isEach = edit.replace_all === true
  const found = findOccurrences(text, edit.old_string, { overlapping: !isEach, max: isEach ? maxReplaced : maxCounted })
  if (found.length === 0) {
    throw new ToolFailure(`old_string was not found in the file: ${notFoundHint(text, edit.old_string)}`)
  }
  if (isEach && found.length === maxReplaced)
    throw new ToolFailure(`old_string occurs ${maxReplaced} times or more; use a program in Bash for so many changes`)
  if (isEach || found.length === 1) return found
  const lines = found.slice(0, 10).map((start) => text.slice(0, start).split("\n").length)
  throw new ToolFailure(
    `old_string occurs ${found.length}${found.length === maxCounted ? " or more" : ""} times (at line ${lines.join(", ")}${found.length > 10 ? ", …" : ""}); add surrounding lines until it is unique, or set replace_all to change them all`,
  )
}

/**
 * Replaces text. The file's line ends are kept, whichever the edit uses: everything outside the replaced places stays unchanged, byte for byte.
 * @throws ToolFailure if the text does not occur or is not unique
 */
export const applyEdit = (text: string, edit: TextEdit): AppliedEdit => {
  const wanted = unixLines(edit.old_string)
  const replacement = unixLines(edit.new_string)
  if (wanted === replacement)
    throw new ToolFailure("old_string and new_string are the same, so that nothing would change")
  const starts = placesToReplace(unixLines(text), { ...edit, old_string: wanted })
  const bounds = originalPositions(
    text,
    starts.flatMap((start) => [start, start + wanted.length]),
  )
  const length = text.length + starts.length * (replacement.length - wanted.length)
  if (length > maxEditBytes)
    throw new ToolFailure(`the file would have more than ${maxEditBytes} characters; use a program in Bash`)
  const inserted = replacement.replaceAll("\n", lineEnd(text))
  const parts: string[] = []
  let copied = 0
  for (let index = 0; index < bounds.length; index += 2) {
    parts.push(text.slice(copied, bounds[index]), inserted)
    copied = bounds[index + 1] ?? text.length
  }
  return { text: parts.join("") + text.slice(copied), count: starts.length, at: bounds[0] ?? 0 }
}
