import type { FileHandle } from "node:fs/promises"
import { ToolFailure } from "../tool-failure.ts"

export interface LineRange {
  /** Number of the first line, counted from 1. */
  readonly first: number
  readonly maxLines: number
  readonly maxCharacters: number
}

export interface ReadLines {
  readonly lines: readonly string[]
  /** Whether the file continues after the last of these lines. */
  readonly more: boolean
  /** Number of lines read: all lines of the file unless `more`. */
  readonly seen: number
}

const sampleBytes = 8_192

const isWideText = (sample: Buffer): boolean =>
  (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff)

/** Throws a `ToolFailure` if the first bytes are not those of a text. */
const refuseBinary = async (handle: FileHandle, shown: string): Promise<void> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0)
  const sample = buffer.subarray(0, bytesRead)
  if (isWideText(sample)) {
    throw new ToolFailure(
      `${shown} is UTF-16 text; convert it first, for example in Bash with iconv -f UTF-16 -t UTF-8`,
    )
  }
  if (sample.includes(0)) {
    throw new ToolFailure(
      `${shown} is a binary file, and Read shows only text; use Bash with a program that supports its format`,
    )
  }
}

/** Reads a range of lines without loading the complete file. A byte order mark and carriage returns at line ends are left out. */
export const readLines = async (handle: FileHandle, shown: string, range: LineRange): Promise<ReadLines> => {
  await refuseBinary(handle, shown)
  const lines: string[] = []
  let seen = 0
  let characters = 0
  for await (const line of handle.readLines({ start: 0, autoClose: false })) {
    seen += 1
    if (seen < range.first) continue
    characters += line.length + 1
    if (lines.length === range.maxLines || (lines.length > 0 && characters > range.maxCharacters)) {
      return { lines, more: true, seen: seen - 1 }
    }
    // Not every store accepts NUL, so that a symbol replaces it. Text files that contain it are rare.
    lines.push((seen === 1 ? line.replace(/^\uFEFF/, "") : line).replaceAll("\0", "\u2400"))
  }
  return { lines, more: false, seen }
}

/** Formats lines as `cat -n` does: number, tab, text. `first` is the number of the first line. */
export const numberedLines = (lines: readonly string[], first: number): string =>
  lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join("\n")

/** Cuts a line to `max` characters and appends how many are missing. Never splits a surrogate pair. */
export const cutLine = (line: string, max: number): string => {
  if (line.length <= max) return line
  const kept = line.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")
  return `${kept}… [${line.length - kept.length} more characters in this line]`
}
