import { randomBytes } from "node:crypto"
import { constants, type Stats } from "node:fs"
import { access, chmod, chown, type FileHandle, lstat, mkdir, open, rename, rm, unlink } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { diskPath } from "./disk-path.ts"
import { type ConfinedPath, heldPath, openDirectory } from "./open-confined.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { ToolFailure } from "../tool-failure.ts"

/** The version of a file when it was read. A write that expects this version does not overwrite a newer one. */
export interface FileVersion {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

const existingAt = async (path: string): Promise<Stats | undefined> => {
  try {
    return await lstat(diskPath(path))
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined
    throw error
  }
}

/** What is expected at a path: a version of its file, or none, also for a new file that gets a mode. */
export type ExpectedFile = FileVersion | "absent" | { readonly newMode: number }

const refuseUnfit = (path: ConfinedPath, existing: Stats | undefined, expected: ExpectedFile | undefined): void => {
  if (existing?.isDirectory()) throw new ToolFailure(`${path.shown} is a directory, not a file`)
  if (existing !== undefined && !existing.isFile()) {
    throw new ToolFailure(`${path.shown} is a link, device, pipe or socket, which cannot be written as a file`)
  }
  if (expected === undefined) return
  if (expected === "absent" || "newMode" in expected) {
    if (existing === undefined) return
    throw new ToolFailure(`${path.shown} was created by something else meanwhile; read it before you replace it`)
  }
  const same =
    existing?.ino === expected.ino && existing.size === expected.size && existing.mtimeMs === expected.mtimeMs
  if (!same) throw new ToolFailure(`${path.shown} changed while the call ran; read it again and repeat the call`)
}

const keepOwnerAndMode = async (path: string, existing: Stats): Promise<void> => {
  // Only a privileged worker can change the owner. Otherwise, the worker's user owns the new file.
  await chown(diskPath(path), existing.uid, existing.gid).catch((error: unknown) => {
    if (systemCode(error) !== "EPERM") throw error
  })
  await chmod(diskPath(path), existing.mode & 0o7777)
}

/** Returns the mode of the new file. */
const writeNew = async (path: string, content: string | Uint8Array, wanted?: ExpectedFile): Promise<number> => {
  const file = await open(diskPath(path), "wx", 0o666)
  try {
    await file.writeFile(content)
    if (typeof wanted === "object" && "newMode" in wanted) await file.chmod(wanted.newMode & 0o777)
    await file.sync()
    return (await file.stat()).mode
  } finally {
    await file.close()
  }
}

/**
 * Opens a directory, and makes it and those above it if they are missing. Each is made through the open one above it, so that a link that replaces a
 * directory meanwhile leads nowhere.
 */
export const openOrMakeDirectory = async (path: ConfinedPath): Promise<FileHandle> => {
  try {
    return await openDirectory(path)
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error
  }
  const above = { real: dirname(path.real), shown: dirname(path.shown) }
  const parent = await openOrMakeDirectory(above)
  try {
    await mkdir(diskPath(join(await heldPath(parent, above.real), basename(path.real))))
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error
  } finally {
    await parent.close()
  }
  return openDirectory(path)
}

/**
 * Atomically replaces a file: readers see either the old or the new content. Keeps mode and owner, and creates parent directories.
 * @returns whether the file is new, and its mode
 */
export const writeConfined = async (
  path: ConfinedPath,
  content: string | Uint8Array,
  expected?: ExpectedFile,
): Promise<{ readonly created: boolean; readonly mode: number }> => {
  const parent = dirname(path.real)
  const handle = await openOrMakeDirectory({ real: parent, shown: dirname(path.shown) })
  try {
    const directory = await heldPath(handle, parent)
    const target = join(directory, basename(path.real))
    const temporary = join(directory, `.write-${randomBytes(6).toString("hex")}.tmp`)
    const existing = await existingAt(target)
    refuseUnfit(path, existing, expected)
    if (existing !== undefined) await access(diskPath(target), constants.W_OK)
    try {
      const mode = await writeNew(temporary, content, expected)
      if (existing !== undefined) await keepOwnerAndMode(temporary, existing)
      refuseUnfit(path, await existingAt(target), expected)
      await rename(diskPath(temporary), diskPath(target))
      return { created: existing === undefined, mode: (existing?.mode ?? mode) & 0o7777 }
    } catch (error) {
      await rm(diskPath(temporary), { force: true })
      throw error
    }
  } finally {
    await handle.close()
  }
}

/** Removes a file of which a version is expected. */
export const removeConfined = async (path: ConfinedPath, expected: FileVersion): Promise<void> => {
  const parent = dirname(path.real)
  const handle = await openDirectory({ real: parent, shown: dirname(path.shown) })
  try {
    const target = join(await heldPath(handle, parent), basename(path.real))
    refuseUnfit(path, await existingAt(target), expected)
    await unlink(diskPath(target))
  } finally {
    await handle.close()
  }
}
