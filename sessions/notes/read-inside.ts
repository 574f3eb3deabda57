import { constants } from "node:fs"
import { type FileHandle, open, realpath } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { dataDirName, dataRootOf } from "../../domain/workspace/data-directory.ts"
import { closedSystemTrees, isClosed } from "../../domain/workspace/closed-directories.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { readUpTo } from "../../domain/workspace/read-up-to.ts"
import { isInWorktree } from "../../domain/workspace/worktree/worktree-place.ts"
import { realDirectories } from "../authority/real-directories.ts"

/** Where files for agents may be: in the working directory (a real path), and in no closed directory. */
export interface NotesPlace {
  readonly cwd: string
  /** Real paths of the directories that are closed to all sessions. */
  readonly closed: readonly string[]
}

export const notesPlace = async (cwd: string, dataDir: string): Promise<NotesPlace> => {
  const [data = dataDir] = await realDirectories([dataDir])
  const closed = await realDirectories(closedSystemTrees)
  // A worktree is inside the data directory.
  return { cwd, closed: isInWorktree(data, cwd) ? closed : [...closed, dataRootOf(data)] }
}

/** Returns whether a path is in a data directory, by its usual name: a link could lead a note there. */
const isDataPath = (cwd: string, path: string): boolean =>
  relative(cwd, path)
    .split(sep)
    .some((segment) => segment.toLowerCase() === dataDirName)

/** Returns the real path of a file or folder; undefined if it is missing, or a link to a place outside the working directory or closed to all sessions. */
export const realInside = async ({ cwd, closed }: NotesPlace, path: string): Promise<string | undefined> => {
  try {
    const real = await realpath(join(cwd, path))
    return isInside(cwd, real) && !isClosed(real, closed) && !isDataPath(cwd, real) ? real : undefined
  } catch {
    return undefined
  }
}

/** The start of a file. */
export interface FileStart {
  readonly text: string
  readonly isCut: boolean
}

const readStart = async (file: FileHandle, maxBytes: number): Promise<FileStart> => {
  const bytes = await readUpTo(file, maxBytes + 1)
  const isCut = bytes.length > maxBytes
  // A character that was cut in two is left out.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  return { text: decoder.decode(bytes.subarray(0, maxBytes), { stream: isCut }), isCut }
}

/** Reads the start of a file of the working directory; undefined if `realInside` refuses its path, or if it is not a regular file. */
export const readInside = async (place: NotesPlace, path: string, maxBytes: number): Promise<FileStart | undefined> => {
  const real = await realInside(place, path)
  if (real === undefined) return undefined
  try {
    await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    return (await file.stat()).isFile() ? await readStart(file, maxBytes) : undefined
  } catch {
    return undefined
  }
}
