import { lineEnd } from "../files/apply-edit.ts"
import { ToolFailure } from "../tool-failure.ts"
import type { Hunk } from "../../domain/tools/parse-patch.ts"

/** A line of a file with its own end, which is empty for a last line without one. */
interface FileLine {
  readonly text: string
  readonly end: string
}

/** More comparisons take seconds. */
const maxComparisons = 50_000_000
const shownLines = 5

const linesOf = (text: string): readonly FileLine[] =>
  [...text.matchAll(/([^\n]*?)(\r?\n|$)/g)]
    .map(([, line = "", end = ""]) => ({ text: line, end }))
    .filter(({ text: line, end }) => line !== "" || end !== "")

/** Quotes, dashes and blanks that models write in place of those of the file. */
const plain = (text: string): string =>
  text
    .trim()
    .replaceAll(/[\u2010-\u2015\u2212]/g, "-")
    .replaceAll(/[\u2018-\u201B]/g, "'")
    .replaceAll(/[\u201C-\u201F]/g, '"')
    .replaceAll(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, " ")

/** How lines are compared, from exactly to loosely. */
const readings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.trimEnd(),
  (text) => text.trim(),
  plain,
]

interface Search {
  readonly from: number
  readonly atEnd: boolean
}

/** Returns where lines occur in a file; -1 if they do not. */
const hunkPlace = (lines: readonly FileLine[], wanted: readonly string[], { from, atEnd }: Search): number => {
  const last = lines.length - wanted.length
  const first = atEnd ? Math.max(from, last) : from
  for (const read of readings) {
    const texts = wanted.map(read)
    for (let at = first; at <= last; at += 1)
      if (texts.every((text, index) => read(lines[at + index]?.text ?? "") === text)) return at
  }
  return -1
}

const notFound = (path: string, what: string, lines: readonly string[]): ToolFailure => {
  const shown = lines.slice(0, shownLines).join("\n")
  return new ToolFailure(
    `${what} of ${path} is not in the file after the hunks before it; read the file again and copy its lines exactly:\n${shown}`,
  )
}

const afterAnchors = (path: string, lines: readonly FileLine[], { anchors }: Hunk, from: number): number =>
  anchors.reduce((start, anchor) => {
    const found = hunkPlace(lines, [anchor], { from: start, atEnd: false })
    if (found === -1) throw notFound(path, "the line after @@", [anchor])
    return found + 1
  }, from)

/** A hunk that ends with an empty line may have it only because the patch has one there. */
const withoutLastBlank = (hunk: Hunk): Hunk | undefined => {
  const last = hunk.lines.at(-1)
  return last?.sign === " " && last.text === "" && hunk.lines.length > 1
    ? { ...hunk, lines: hunk.lines.slice(0, -1) }
    : undefined
}

interface Place {
  readonly hunk: Hunk
  readonly at: number
}

const findHunk = (path: string, lines: readonly FileLine[], hunk: Hunk, from: number): Place => {
  const start = afterAnchors(path, lines, hunk, from)
  const kept = hunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text)
  // Lines are only added: after the anchor, or at the end of the file.
  if (kept.length === 0) return { hunk, at: hunk.anchors.length > 0 && !hunk.atEnd ? start : lines.length }
  const at = hunkPlace(lines, kept, { from: start, atEnd: hunk.atEnd })
  if (at !== -1) return { hunk, at }
  const shorter = withoutLastBlank(hunk)
  if (shorter === undefined) throw notFound(path, "a hunk", kept)
  return findHunk(path, lines, shorter, from)
}

/**
 * Applies hunks in order. Lines outside of them, and those that a hunk keeps, stay as they are, byte for byte; new lines get the line end of the file.
 * @throws ToolFailure if the lines of a hunk do not occur after the hunk before it
 */
export const applyHunks = (path: string, before: string, hunks: readonly Hunk[]): string => {
  const lines = linesOf(before)
  if (lines.length * hunks.length > maxComparisons)
    throw new ToolFailure(`the patch has too many hunks for a file as long as ${path}; use a program in Bash`)
  const end = lineEnd(before)
  const parts: (readonly FileLine[])[] = []
  let next = 0
  for (const wanted of hunks) {
    const { hunk, at } = findHunk(path, lines, wanted, next)
    parts.push(lines.slice(next, at))
    next = at
    for (const { sign, text } of hunk.lines) {
      if (sign === "+") parts.push([{ text, end }])
      else {
        if (sign === " ") parts.push(lines.slice(next, next + 1))
        next += 1
      }
    }
  }
  const all = [...parts, lines.slice(next)].flat()
  return all.map((line, index) => line.text + (line.end === "" && index < all.length - 1 ? end : line.end)).join("")
}
