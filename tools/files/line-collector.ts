import { cutLine } from "./text-lines.ts"

export interface LineRange {
  /** Number of the first line, counted from 1. */
  readonly first: number
  readonly maxLines: number
  readonly maxCharacters: number
  /** A longer line is cut to so many characters. */
  readonly maxLineCharacters: number
}

export interface CollectedLines {
  readonly lines: readonly string[]
  /** Whether the text continues after the last of these lines. */
  readonly more: boolean
  /** Number of lines seen: all lines of the text unless `more`. */
  readonly seen: number
}

/** Takes a text in pieces and keeps a range of its lines. */
export interface LineCollector {
  /** Returns true once the page is full and the text continues after it. */
  add(text: string): boolean
  /** Returns the full page. */
  page(): CollectedLines
  /** Returns the lines at the end of the text, the last of which may have no line end. */
  end(): CollectedLines
}

/** A line of which only the first characters are kept. */
interface OpenLine {
  kept: string
  length: number
}

const trimmed = (line: OpenLine, max: number): string => {
  const hasReturn = line.kept.endsWith("\r") && line.kept.length === line.length
  return hasReturn ? line.kept.slice(0, -1) : cutLine(line.kept, max, line.length)
}

export const createLineCollector = ({
  first,
  maxLines,
  maxCharacters,
  maxLineCharacters,
}: LineRange): LineCollector => {
  const lines: string[] = []
  let seen = 0
  let characters = 0
  let open: OpenLine | undefined

  const extend = (text: string): void => {
    open ??= { kept: "", length: 0 }
    // One more than is shown: a carriage return at the end of a line does not count.
    if (open.kept.length <= maxLineCharacters) open.kept += text.slice(0, maxLineCharacters + 1 - open.kept.length)
    open.length += text.length
  }

  /** Ends the open line. Returns false, and leaves the line out, if the page has no room for it. */
  const close = (line: OpenLine): boolean => {
    const number = seen + 1
    if (number >= first) {
      // Not every store accepts NUL, so that a symbol replaces it. Text files that contain it are rare.
      const shown = trimmed(line, maxLineCharacters).replaceAll("\0", "\u2400")
      characters += shown.length + 1
      if (lines.length === maxLines || (lines.length > 0 && characters > maxCharacters)) return false
      lines.push(shown)
    }
    seen = number
    open = undefined
    return true
  }

  return {
    add(text) {
      let start = 0
      for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", start)) {
        extend(text.slice(start, at))
        start = at + 1
        if (open !== undefined && !close(open)) return true
      }
      if (start < text.length) extend(text.slice(start))
      // The page is full: whatever the rest of this line is, it is not shown.
      return open !== undefined && lines.length === maxLines
    },
    page: () => ({ lines, seen, more: true }),
    end() {
      const more = open !== undefined && !close(open)
      return { lines, seen, more }
    },
  }
}
