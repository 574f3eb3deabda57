import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { chmod, copyFile, lstat, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { diskPath } from "../disk/disk-path.ts"
import { listDirectory, readLink } from "../disk/list-directory.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { heldPath, openDirectory, openFile } from "../disk/open-confined.ts"
import { openOrMakeDirectory, writeConfined } from "../disk/write-confined.ts"
import type { Content } from "./content.ts"

/** Name of the folder in the data directory that contains what commands planted. */
export const quarantineName = "quarantine"

/** Copies a file, link or directory. Sockets, pipes and devices have no content. */
const copyTree = async (from: string, to: string): Promise<void> => {
  const found = await lstat(diskPath(from))
  if (found.isSymbolicLink()) await symlink(diskPath(await readLink(from)), diskPath(to))
  if (found.isFile()) await copyFile(diskPath(from), diskPath(to), constants.COPYFILE_EXCL)
  if (!found.isDirectory()) return
  await mkdir(diskPath(to), { mode: 0o700 })
  for (const { name } of await listDirectory(from)) await copyTree(join(from, name), join(to, name))
}

const move = async (from: string, to: string): Promise<void> => {
  try {
    await rename(diskPath(from), diskPath(to))
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error
    await copyTree(from, to)
    await rm(diskPath(from), { recursive: true, force: true })
  }
}

/**
 * Moves a file, directory or link out of the working directory, to a folder that no tool reaches and from which nothing is run.
 * @param path absolute; no part of its directory may be a link
 * @returns where it is now
 */
export const moveToQuarantine = async (path: string, quarantine: string): Promise<string> => {
  const folder = join(quarantine, randomUUID())
  await mkdir(quarantine, { recursive: true, mode: 0o700 })
  await chmod(quarantine, 0o700)
  await mkdir(folder, { mode: 0o700 })
  await writeFile(join(folder, "origin.json"), `${JSON.stringify({ path })}\n`, { mode: 0o600 })
  const target = join(folder, "content")
  const parent = dirname(path)
  const handle = await openDirectory({ real: parent, shown: parent })
  try {
    const source = join(await heldPath(handle, parent), basename(path))
    await move(source, target).catch(async (error: unknown) => {
      if (systemCode(error) !== "EACCES") throw error
      // The command took the right to write from its directory.
      await handle.chmod(0o700)
      await move(source, target)
    })
    return target
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** Puts a content where nothing is, with the directories above it. No part of the path may be a link. */
export const restoreContent = async (path: string, content: Content, bytes: Uint8Array | undefined): Promise<void> => {
  const place = { real: path, shown: path }
  if (content.type === "file") {
    await writeConfined(place, bytes ?? new Uint8Array())
    await using file = await openFile(place)
    await file.chmod(content.mode)
    return
  }
  const parent = dirname(path)
  await using directory = await openOrMakeDirectory({ real: parent, shown: parent })
  const held = join(await heldPath(directory, parent), basename(path))
  if (content.type === "link") await symlink(diskPath(content.target), diskPath(held))
  if (content.type === "directory") await mkdir(diskPath(held))
}
