import { constants } from "node:fs"
import { lstat, open, readlink, realpath, type FileHandle } from "node:fs/promises"
import type { ConfinedPath } from "./confined-path.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { ToolFailure } from "../tool-failure.ts"

const swapped = (path: ConfinedPath): ToolFailure =>
  new ToolFailure(`${path.shown} was replaced while it was being opened. Try again.`)

/** The path that an open file has now: from the kernel where it is known there, else by comparing what the path leads to. */
const openedPath = async (handle: FileHandle, path: string): Promise<string | undefined> => {
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`)
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error
  }
  const [opened, named] = [await handle.stat(), await lstat(path)]
  return opened.ino === named.ino && opened.dev === named.dev ? realpath(path) : undefined
}

const openVerified = async (path: ConfinedPath, flags: number): Promise<FileHandle> => {
  // O_NONBLOCK: opening a named pipe would otherwise wait for its other end.
  const handle = await open(path.real, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if ((await openedPath(handle, path.real)) !== path.real) throw swapped(path)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Opens a checked file for reading and makes sure that it is still the one that was checked, and an ordinary file. */
export const openFile = async (path: ConfinedPath): Promise<FileHandle> => {
  const handle = await openVerified(path, constants.O_RDONLY)
  try {
    const stat = await handle.stat()
    if (stat.isDirectory()) throw new ToolFailure(`${path.shown} is a directory. Use LS to list it.`)
    if (!stat.isFile()) throw new ToolFailure(`${path.shown} is a device, pipe or socket, not a file with text.`)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Opens a checked directory; `/proc/self/fd/<fd>/name` then names its entries even if a path component is swapped later. */
export const openDirectory = (path: ConfinedPath): Promise<FileHandle> =>
  openVerified(path, constants.O_RDONLY | constants.O_DIRECTORY)
