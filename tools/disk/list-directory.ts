import type { Dirent } from "node:fs"
import { readdir, readlink, realpath } from "node:fs/promises"
import { diskPath, pathOfBytes } from "./disk-path.ts"

/** An entry of a directory; its name is a part of a path as `disk-path.ts` has it. */
export type DiskEntry = Pick<Dirent, "name" | "isFile" | "isDirectory" | "isSymbolicLink" | "isSocket" | "isFIFO">

/** What Node puts in place of bytes that are not text. */
export const replacement = "\uFFFD"

const withName = (entry: Dirent<Buffer>): DiskEntry => ({
  name: pathOfBytes(entry.name),
  isFile: () => entry.isFile(),
  isDirectory: () => entry.isDirectory(),
  isSymbolicLink: () => entry.isSymbolicLink(),
  isSocket: () => entry.isSocket(),
  isFIFO: () => entry.isFIFO(),
})

/** Lists a directory with all names that it contains, also those that are not text. */
export const listDirectory = async (directory: string): Promise<readonly DiskEntry[]> => {
  const path = diskPath(directory)
  const entries = await readdir(path, { withFileTypes: true })
  // Names of bytes cost several times as much, and are rare.
  if (!entries.some(({ name }) => name.includes(replacement))) return entries
  return (await readdir(path, { withFileTypes: true, encoding: "buffer" })).map(withName)
}

/** Returns where a link leads, as it is written in the link. */
export const readLink = async (path: string): Promise<string> =>
  pathOfBytes(await readlink(diskPath(path), { encoding: "buffer" }))

/** Returns a path without links. */
export const realPath = async (path: string): Promise<string> =>
  pathOfBytes(await realpath(diskPath(path), { encoding: "buffer" }))
