import { constants, type Dirent } from "node:fs"
import { chmod, lstat, open, readlink } from "node:fs/promises"
import { join } from "node:path"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { setId } from "../protection/content.ts"
import { createLister, scanConcurrency } from "../protection/scan-protected.ts"

export interface SetIdScope {
  /** Real path of the working directory. */
  readonly cwd: string
  /** Absolute directories that are not entered. */
  readonly hidden: readonly string[]
}

/** A file with a setuid or setgid bit. Other users run it with the rights of its owner or group. */
export interface SetIdFile {
  readonly path: string
  /** Changes with the file's content, mode and owner, also if they are changed back. */
  readonly identity: string
}

const describe = async (path: string): Promise<SetIdFile | undefined> => {
  const found = await lstat(path, { bigint: true }).catch(() => undefined)
  if (found === undefined || !found.isFile() || (found.mode & BigInt(setId)) === 0n) return undefined
  return { path, identity: `${found.dev}:${found.ino}:${found.ctimeNs}` }
}

/** Returns the files with a setuid or setgid bit in a working directory, `node_modules` included. Links are not followed. */
export const setIdFiles = async ({ cwd, hidden }: SetIdScope, unlock: boolean): Promise<readonly SetIdFile[]> => {
  const { list } = createLister(cwd, { hidden, unlock })
  const found: SetIdFile[] = []
  const queue = [cwd]
  const look = async (directory: string, entry: Dirent): Promise<void> => {
    const path = join(directory, entry.name)
    if (entry.isDirectory() && !hidden.some((each) => isInside(each, path))) queue.push(path)
    if (!entry.isFile()) return
    const file = await describe(path)
    if (file !== undefined) found.push(file)
  }
  const visit = async (directory: string): Promise<void> => {
    for (const entry of await list(directory)) await look(directory, entry)
  }
  while (queue.length > 0) await Promise.all(queue.splice(-scanConcurrency).map(visit))
  return found
}

/** O_PATH, which opens a file that its owner cannot read. */
const pathOnly = 0o10000000

/** Removes the bits from a file. No part of its path may be a link: another command could lead it to a file outside. */
export const clearSetId = async (path: string): Promise<void> => {
  const isLinux = process.platform === "linux"
  await using file = await open(path, constants.O_NOFOLLOW | (isLinux ? pathOnly : constants.O_NONBLOCK))
  const { mode } = await file.stat()
  if (!isLinux) return await file.chmod(mode & 0o7777 & ~setId)
  const held = `/proc/self/fd/${file.fd}`
  if ((await readlink(held)) !== path) throw new Error("it was replaced meanwhile")
  await chmod(held, mode & 0o7777 & ~setId)
}
