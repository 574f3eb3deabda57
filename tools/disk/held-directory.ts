import { type FileHandle, stat } from "node:fs/promises"
import { openDirectory } from "../files/open-confined.ts"
import { diskPath } from "./disk-path.ts"
import { readLink, realPath } from "./list-directory.ts"

/** A directory that a process keeps open: it can be found wherever it is moved, and its inode is not used for another one. */
export interface HeldDirectory {
  readonly pid: number
  readonly fd: number
  /** Equal only for the same directory, as long as it is open. */
  readonly identity: string
}

const identityOf = async (path: string): Promise<string | undefined> => {
  const found = await stat(diskPath(path), { bigint: true }).catch(() => undefined)
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}

/** Opens a directory, a real path, until the handle is closed. */
export const holdDirectory = async (
  path: string,
): Promise<{ readonly held: HeldDirectory; readonly handle: FileHandle }> => {
  const handle = await openDirectory({ real: path, shown: path })
  const { dev, ino } = await handle.stat({ bigint: true })
  return { held: { pid: process.pid, fd: handle.fd, identity: `${dev}:${ino}` }, handle }
}

/** `gone`: it was removed, and contains nothing. `unknown`: its process has ended, or the system does not tell. */
export type DirectoryPlace = { readonly path: string } | "gone" | "unknown"

/** Returns where a held directory is now. */
export const findDirectory = async (path: string, { pid, fd, identity }: HeldDirectory): Promise<DirectoryPlace> => {
  const isThere = async (place: string): Promise<boolean> =>
    (await realPath(place).catch(() => undefined)) === place && (await identityOf(place)) === identity
  if (await isThere(path)) return { path }
  const link = `/proc/${pid}/fd/${fd}`
  if ((await identityOf(link)) !== identity) return "unknown"
  const now = await readLink(link).catch(() => "")
  if (await isThere(now)) return { path: now }
  const found = await stat(link).catch(() => undefined)
  return found?.nlink === 0 ? "gone" : "unknown"
}
