import type { DiffLine } from "../../domain/preview/diff-lines.ts"
import type { LinePart } from "./changed-words.ts"
import { highlighted, languageOf } from "./highlight.ts"

/** A part of a line with the colour of its language. */
export interface ColouredPart {
  readonly text: string
  /** Class of the colour. */
  readonly colour?: string | undefined
  readonly isChanged?: boolean
}

/** More code would block the page while it is drawn. */
const mostCoded = 200_000

const entities: ReadonlyMap<string, string> = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&#x27;", "'"],
])

const decoded = (html: string): string =>
  html.replaceAll(/&(?:amp|lt|gt|quot|#x27);/g, (name) => entities.get(name) ?? name)

/** Returns the lines of highlighted code, each as its parts. The highlighter writes nothing but escaped text and `span`s. */
const linesOf = (html: string): readonly (readonly ColouredPart[])[] => {
  const lines: ColouredPart[][] = [[]]
  const open: string[] = []
  for (const [, text, begin, end] of html.matchAll(/([^<]+)|<span class="([^"]*)">|(<\/span>)/g)) {
    if (begin !== undefined) open.push(begin)
    if (end !== undefined) open.pop()
    if (text === undefined) continue
    for (const [index, piece] of decoded(text).split("\n").entries()) {
      if (index > 0) lines.push([])
      if (piece !== "") lines.at(-1)?.push({ text: piece, colour: open.at(-1) })
    }
  }
  return lines
}

interface Numbered {
  readonly index: number
  readonly line: DiffLine
}

const codeOf = ({ line: { text } }: Numbered): string => text.slice(1)

/** Colours one version of a hunk, so that a comment or a text of several lines is known as one. */
const colourVersion = (
  version: readonly Numbered[],
  language: string,
  found: Map<number, readonly ColouredPart[]>,
): void => {
  const code = version.map(codeOf).join("\n")
  const html = code.length > mostCoded ? undefined : highlighted(code, language)
  const coloured = html === undefined ? [] : linesOf(html)
  // A highlighter that changed a character shows nothing of its own.
  for (const [at, { index, line }] of version.entries()) {
    const parts = coloured[at]
    if (parts?.map(({ text }) => text).join("") === line.text.slice(1)) found.set(index, parts)
  }
}

/** Returns the parts of the lines of a diff in the colours of their language, by index, without the sign of the line. `file`: of a diff of one file. */
export const colouredLines = (
  lines: readonly DiffLine[],
  file: string | undefined,
): ReadonlyMap<number, readonly ColouredPart[]> => {
  const found = new Map<number, readonly ColouredPart[]>()
  let language = file === undefined ? undefined : languageOf(file)
  let hunk: Numbered[] = []
  const endHunk = (): void => {
    if (language !== undefined && hunk.length > 0) {
      colourVersion(
        hunk.filter(({ line }) => line.kind !== "ins"),
        language,
        found,
      )
      colourVersion(
        hunk.filter(({ line }) => line.kind !== "del"),
        language,
        found,
      )
    }
    hunk = []
  }
  for (const [index, line] of lines.entries()) {
    if (line.kind === "head" || line.kind === "file") {
      endHunk()
      if (line.kind === "file") language = languageOf(line.text)
    } else hunk.push({ index, line })
  }
  endHunk()
  return found
}

/** Returns coloured parts, cut where a changed word begins or ends. Both are parts of the same line. */
export const withChanges = (parts: readonly ColouredPart[], words: readonly LinePart[]): readonly ColouredPart[] => {
  const cut: ColouredPart[] = []
  let [wordAt, used] = [0, 0]
  for (const { text, colour } of parts) {
    for (let from = 0; from < text.length;) {
      const word = words[wordAt]
      const length = Math.min(text.length - from, word === undefined ? text.length : word.text.length - used)
      if (length > 0) cut.push({ text: text.slice(from, from + length), colour, isChanged: word?.isChanged === true })
      from += length
      used += length
      if (word !== undefined && used >= word.text.length) {
        wordAt += 1
        used = 0
      }
    }
  }
  return cut
}
