import { isUtf8 } from "node:buffer"
import type { FileHandle } from "node:fs/promises"
import { readUpTo } from "../../domain/workspace/read-up-to.ts"
import { hashOfBytes } from "../protection/content.ts"
import { type ConfinedPath, openFile } from "../disk/open-confined.ts"
import { ToolFailure } from "../tool-failure.ts"
import type { FileVersion } from "../disk/write-confined.ts"

/** A file's text for a change. `text` has no byte order mark and the file's own line ends. */
export interface TextFile {
  readonly text: string
  readonly byteOrderMark: string
  readonly version: FileVersion
  readonly mode: number
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string
}

/** The largest file that can be edited, or replaced. */
export const maxEditBytes = 20 * 1024 * 1024
export const byteOrderMark = "\uFEFF"

const decode = (bytes: Uint8Array, path: ConfinedPath): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new ToolFailure(
      `${path.shown} is not UTF-8 text, and a change would damage it; use a program that supports its format`,
      {
        cause,
      },
    )
  }
}

/** Reads a complete text file before it is changed. @throws ToolFailure if it is too long, binary or not UTF-8 */
export const readTextFile = async (path: ConfinedPath): Promise<TextFile> => {
  const handle = await openFile(path)
  try {
    const { ino, size, mtimeMs, mode } = await handle.stat()
    if (size > maxEditBytes)
      throw new ToolFailure(`${path.shown} has ${size} bytes, and the limit for changes is ${maxEditBytes}`)
    const bytes = await readUpTo(handle, size)
    const decoded = decode(bytes, path)
    if (decoded.includes("\0")) throw new ToolFailure(`${path.shown} is a binary file and cannot be changed as text`)
    const hasMark = decoded.startsWith(byteOrderMark)
    return {
      text: hasMark ? decoded.slice(1) : decoded,
      byteOrderMark: hasMark ? byteOrderMark : "",
      version: { ino, size, mtimeMs },
      mode,
      sha256: hashOfBytes(bytes),
    }
  } finally {
    await handle.close()
  }
}

/** What a complete file contains, for Read, which shows a part of it. */
export interface WholeFile {
  readonly sha256: string
  /** The number of the first line that is not UTF-8. */
  readonly strangeLine?: number
}

const newline = 0x0a

/** A line end is never part of another character, so that each line is UTF-8 by itself. */
const firstStrangeLine = (bytes: Uint8Array): number | undefined => {
  if (isUtf8(bytes)) return undefined
  for (let start = 0, line = 1; ; line += 1) {
    const end = bytes.indexOf(newline, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line
    start = end + 1
  }
}

/** Inspects an open file as a whole; undefined if it is too large to be edited or replaced. */
export const inspectWhole = async (handle: FileHandle): Promise<WholeFile | undefined> => {
  const { size } = await handle.stat()
  if (size > maxEditBytes) return undefined
  const bytes = await readUpTo(handle, size)
  const strangeLine = firstStrangeLine(bytes)
  return { sha256: hashOfBytes(bytes), ...(strangeLine === undefined ? {} : { strangeLine }) }
}
