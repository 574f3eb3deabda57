import { constants } from "node:fs"
import { type FileHandle, open, realpath } from "node:fs/promises"
import { join, sep } from "node:path"
import { maxNoteBytes, type ProjectNote, projectNoteNames } from "../domain/prompts/compose-system-prompt.ts"

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

/** A note that is missing, is no plain file, or is a link out of the working directory is left out. */
const readNote = async (cwd: string, name: string): Promise<readonly ProjectNote[]> => {
  try {
    const path = await realpath(join(cwd, name))
    if (!path.startsWith(cwd.endsWith(sep) ? cwd : cwd + sep)) return []
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return []
    return [{ name, text: await readStart(file) }]
  } catch {
    return []
  }
}

/** `AGENTS.md` and `TOOLS.md` of a working directory (a real path), 32 KB of each at most. */
export const readProjectNotes = async (cwd: string): Promise<readonly ProjectNote[]> =>
  (await Promise.all(projectNoteNames.map((name) => readNote(cwd, name)))).flat()
