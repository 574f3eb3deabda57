import type { FileHandle } from "node:fs/promises"
import { ToolFailure } from "../tool-failure.ts"

export interface LineRange {
  /** Number of the first line, from 1. */
  readonly first: number
  readonly maxLines: number
  readonly maxCharacters: number
}

export interface ReadLines {
  readonly lines: readonly string[]
  /** True: the file goes on after the last line given. */
  readonly more: boolean
  /** Lines seen, which is all of them unless `more`. */
  readonly seen: number
}

const sampleBytes = 8_192

const isWideText = (sample: Buffer): boolean =>
  (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff)

/** @throws ToolFailure where the first bytes are not those of a text */
const refuseBinary = async (handle: FileHandle, shown: string): Promise<void> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0)
  const sample = buffer.subarray(0, bytesRead)
  if (isWideText(sample)) {
    throw new ToolFailure(`${shown} is UTF-16 text. Convert it first, for example with Bash: iconv -f UTF-16 -t UTF-8.`)
  }
  if (sample.includes(0)) {
    throw new ToolFailure(
      `${shown} is a binary file; Read shows text only. Use Bash with a program that understands its format.`,
    )
  }
}

/** Reads a range of lines without holding the whole file. A byte order mark and carriage returns at line ends are left out. */
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
    // NUL cannot be kept by every store; a text file with one far inside is rare enough to show a sign instead.
    lines.push((seen === 1 ? line.replace(/^\uFEFF/, "") : line).replaceAll("\0", "\u2400"))
  }
  return { lines, more: false, seen }
}

/** Lines as `cat -n` shows them: number, tab, text. `first` is the number of the first line. */
export const numberedLines = (lines: readonly string[], first: number): string =>
  lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join("\n")

/** Cuts a line to `max` characters, saying how much is missing; never splits a surrogate pair. */
export const cutLine = (line: string, max: number): string => {
  if (line.length <= max) return line
  const kept = line.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")
  return `${kept}… [${line.length - kept.length} more characters in this line]`
}
