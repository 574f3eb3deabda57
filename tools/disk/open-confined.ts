import { constants } from "node:fs"
import { lstat, open, type FileHandle } from "node:fs/promises"
import { diskPath } from "./disk-path.ts"
import { readLink, realPath } from "./list-directory.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { ToolFailure } from "../tool-failure.ts"

/** A path that was inside an allowed directory when it was checked. It contains no symbolic link and may not exist yet. */
export interface ConfinedPath {
  /** Absolute and real. */
  readonly real: string
  /** Relative to the working directory, or absolute for the file of a complete output. */
  readonly shown: string
}

const swapped = (path: ConfinedPath): ToolFailure =>
  new ToolFailure(`${path.shown} was replaced while it was being opened; try again`)

/** Returns the current path of an open file, from the kernel if it provides it, otherwise by comparing the file at that path. */
const openedPath = async (handle: FileHandle, path: string): Promise<string | undefined> => {
  try {
    return await readLink(`/proc/self/fd/${handle.fd}`)
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error
  }
  const [opened, named] = [await handle.stat(), await lstat(diskPath(path))]
  return opened.ino === named.ino && opened.dev === named.dev ? realPath(path) : undefined
}

const openVerified = async (path: ConfinedPath, flags: number): Promise<FileHandle> => {
  // O_NONBLOCK: opening a named pipe would otherwise wait for its other end.
  const handle = await open(diskPath(path.real), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if ((await openedPath(handle, path.real)) !== path.real) throw swapped(path)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Opens a checked file for reading. Throws if it is no longer the file that was checked, or not a regular file. */
export const openFile = async (path: ConfinedPath): Promise<FileHandle> => {
  const handle = await openVerified(path, constants.O_RDONLY)
  try {
    const stat = await handle.stat()
    if (stat.isDirectory()) throw new ToolFailure(`${path.shown} is a directory; use LS to list it`)
    if (!stat.isFile()) throw new ToolFailure(`${path.shown} is a device, pipe or socket, not a file with text`)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Opens a checked directory, whose entries `heldPath` names. */
export const openDirectory = (path: ConfinedPath): Promise<FileHandle> =>
  openVerified(path, constants.O_RDONLY | constants.O_DIRECTORY)

/** Returns a path for the entries of an open directory. On Linux it goes through the handle, so that a replaced parent cannot redirect its use. */
export const heldPath = async (handle: FileHandle, path: string): Promise<string> => {
  const held = `/proc/self/fd/${handle.fd}`
  return lstat(held).then(
    () => held,
    () => path,
  )
}
