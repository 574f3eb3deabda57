import { constants, lstatSync } from "node:fs"
import { chmod, open } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { diskPath } from "../disk/disk-path.ts"
import { type DiskEntry, readLink } from "../disk/list-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { setId } from "./content.ts"
import { createLister, scanConcurrency } from "./scan-protected.ts"

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

/** Looks without a thread for each file, which would take several times as long. */
const setIdFileAt = (path: string): SetIdFile | undefined => {
  const { mode = 0 } = lstatSync(diskPath(path), { throwIfNoEntry: false }) ?? {}
  if ((mode & setId) === 0) return undefined
  const found = lstatSync(diskPath(path), { bigint: true, throwIfNoEntry: false })
  return found?.isFile() === true ? { path, identity: `${found.dev}:${found.ino}:${found.ctimeNs}` } : undefined
}

/** So many files are looked at before other work goes first. */
const filesAtOnce = 200

/** Returns the files with a setuid or setgid bit in a working directory, `node_modules` included. Links are not followed. */
export const setIdFiles = async ({ cwd, hidden }: SetIdScope, unlock: boolean): Promise<readonly SetIdFile[]> => {
  const { list } = createLister(cwd, { hidden, unlock })
  const found: SetIdFile[] = []
  const queue = [cwd]
  let looked = 0
  const look = (path: string, entry: DiskEntry): void => {
    if (entry.isDirectory() && !hidden.some((each) => isInside(each, path))) queue.push(path)
    const file = entry.isFile() ? setIdFileAt(path) : undefined
    if (file !== undefined) found.push(file)
  }
  /** A command can take the right to look into a directory from its owner. */
  const lookAgain = async (directory: string, entry: DiskEntry): Promise<void> => {
    try {
      if (unlock) await chmod(diskPath(directory), 0o700)
      look(join(directory, entry.name), entry)
    } catch {
      // The directory belongs to another user, as do its files.
    }
  }
  const visit = async (directory: string): Promise<void> => {
    for (const entry of await list(directory)) {
      try {
        look(join(directory, entry.name), entry)
      } catch {
        await lookAgain(directory, entry)
      }
      looked += 1
      if (looked % filesAtOnce === 0) await setImmediate()
    }
  }
  while (queue.length > 0) await Promise.all(queue.splice(-scanConcurrency).map(visit))
  return found
}

/** O_PATH, which opens a file that its owner cannot read. */
const pathOnly = 0o10000000

/** Removes the bits from a file. No part of its path may be a link: another command could lead it to a file outside. */
export const clearSetId = async (path: string): Promise<void> => {
  const isLinux = process.platform === "linux"
  await using file = await open(diskPath(path), constants.O_NOFOLLOW | (isLinux ? pathOnly : constants.O_NONBLOCK))
  const { mode } = await file.stat()
  if (!isLinux) return await file.chmod(mode & 0o7777 & ~setId)
  const held = `/proc/self/fd/${file.fd}`
  if ((await readLink(held)) !== path) throw new Error("it was replaced meanwhile")
  await chmod(held, mode & 0o7777 & ~setId)
}
