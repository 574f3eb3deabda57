import { constants } from "node:fs"
import { type FileHandle, open, realpath } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { maxNoteBytes, type ProjectNote, projectNoteNames } from "../../domain/prompts/compose-system-prompt.ts"
import { closedSystemTrees, isClosed } from "../../domain/workspace/closed-directories.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { realDirectories } from "../authority/real-directories.ts"

const cutMark = "\n[cut after 32 KB]"

const readStart = async (file: FileHandle): Promise<string> => {
  const buffer = Buffer.alloc(maxNoteBytes + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  if (length <= maxNoteBytes) return buffer.toString("utf8", 0, length)
  const whole = new TextDecoder("utf-8").decode(buffer.subarray(0, maxNoteBytes), { stream: true })
  return whole + cutMark
}

/** Returns whether a path is in a data directory, by its usual name: a link could lead a note there. */
const isDataPath = (cwd: string, path: string): boolean =>
  relative(cwd, path)
    .split(sep)
    .some((segment) => segment.toLowerCase() === ".adjutant")

/** Reads a note. A note is omitted if it is missing, is not a regular file, or is a link to a place outside the working directory or closed to all sessions. */
const readNote = async (cwd: string, name: string, closed: readonly string[]): Promise<readonly ProjectNote[]> => {
  try {
    const path = await realpath(join(cwd, name))
    if (!isInside(cwd, path) || isClosed(path, closed) || isDataPath(cwd, path)) return []
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return []
    return [{ name, text: await readStart(file) }]
  } catch {
    return []
  }
}

/** Reads `AGENTS.md` and `TOOLS.md` of a working directory (a real path), at most 32 KB of each. */
export const readProjectNotes = async (cwd: string, dataDir: string): Promise<readonly ProjectNote[]> => {
  const closed = await realDirectories([...closedSystemTrees, dataDir])
  return (await Promise.all(projectNoteNames.map((name) => readNote(cwd, name, closed)))).flat()
}
