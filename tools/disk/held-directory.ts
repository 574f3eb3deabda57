import { constants } from "node:fs"
import { type FileHandle, open, stat } from "node:fs/promises"
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

const isAt = async (path: string, identity: string): Promise<boolean> =>
  (await realPath(path).catch(() => undefined)) === path && (await identityOf(path)) === identity

/** Opens a directory, a real path, until the handle is closed. Throws if a link leads elsewhere. */
export const holdDirectory = async (
  path: string,
): Promise<{ readonly held: HeldDirectory; readonly handle: FileHandle }> => {
  const handle = await open(diskPath(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const { dev, ino } = await handle.stat({ bigint: true })
  const identity = `${dev}:${ino}`
  if (await isAt(path, identity)) return { held: { pid: process.pid, fd: handle.fd, identity }, handle }
  await handle.close()
  throw new Error("it was replaced, or a link leads to another place")
}

/** `gone`: it was removed, and contains nothing. `unknown`: its process has ended, or the system does not tell. */
export type DirectoryPlace = { readonly path: string } | "gone" | "unknown"

/** Returns where a held directory is now. */
export const findDirectory = async (path: string, { pid, fd, identity }: HeldDirectory): Promise<DirectoryPlace> => {
  if (await isAt(path, identity)) return { path }
  const link = `/proc/${pid}/fd/${fd}`
  if ((await identityOf(link)) !== identity) return "unknown"
  const now = await readLink(link).catch(() => "")
  if (await isAt(now, identity)) return { path: now }
  const found = await stat(link).catch(() => undefined)
  return found?.nlink === 0 ? "gone" : "unknown"
}
