import type { ConfinedPath } from "./confined-path.ts"
import { openFile } from "./open-confined.ts"
import { ToolFailure } from "../tool-failure.ts"
import type { FileVersion } from "./write-confined.ts"

/** A file's text for an edit. `text` has no byte order mark and the file's own line ends. */
export interface TextFile {
  readonly text: string
  readonly byteOrderMark: string
  readonly version: FileVersion
}

/** The largest file that can be edited. */
export const maxEditBytes = 20 * 1024 * 1024
const byteOrderMark = "\uFEFF"

const decode = (bytes: Buffer, path: ConfinedPath): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new ToolFailure(
      `${path.shown} is not UTF-8 text, and an edit would damage it; use a program that supports its format`,
      {
        cause,
      },
    )
  }
}

/** Reads a complete text file for editing. @throws ToolFailure if it is too long, binary or not UTF-8 */
export const readTextFile = async (path: ConfinedPath): Promise<TextFile> => {
  const handle = await openFile(path)
  try {
    const { ino, size, mtimeMs } = await handle.stat()
    if (size > maxEditBytes)
      throw new ToolFailure(`${path.shown} has ${size} bytes, and the limit for edits is ${maxEditBytes}`)
    const decoded = decode(await handle.readFile(), path)
    if (decoded.includes("\0")) throw new ToolFailure(`${path.shown} is a binary file and cannot be edited as text`)
    const hasMark = decoded.startsWith(byteOrderMark)
    return {
      text: hasMark ? decoded.slice(1) : decoded,
      byteOrderMark: hasMark ? byteOrderMark : "",
      version: { ino, size, mtimeMs },
    }
  } finally {
    await handle.close()
  }
}
