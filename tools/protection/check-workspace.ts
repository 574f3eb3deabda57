import { lstat, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { errorMessage } from "../../domain/text/error-message.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import type { PlantedPath } from "../../domain/workspace/planted-paths.ts"
import { foldName } from "../../domain/workspace/protected-paths.ts"
import { findProtected } from "./find-protected.ts"
import { isHarmless } from "./is-harmless.ts"
import { moveToQuarantine } from "./quarantine.ts"
import { entryAt, type ProtectedEntry } from "./scan-protected.ts"
import type { ApprovedFile, WatchedEntry, WatchRecord } from "./watch-record.ts"

interface Check {
  readonly record: WatchRecord
  readonly quarantine: string
  readonly approvals: readonly ApprovedFile[]
}

const isApproved = async (path: string, approvals: readonly ApprovedFile[]): Promise<boolean> => {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return false
  if (!found.isDirectory()) return approvals.some((file) => file.path === path && file.ino === found.ino)
  if (approvals.length === 0) return false
  const names = await readdir(path).catch(() => undefined)
  if (names === undefined || names.length === 0) return false
  return (await Promise.all(names.map((name) => isApproved(join(path, name), approvals)))).every(Boolean)
}

/** Checks whether a process of this user has a file of a directory open: a data directory in use is not one that a command planted. */
const isInUse = async (directory: string): Promise<boolean> => {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))
  const opened = await Promise.all(
    pids.map(async (pid) => {
      const handles = await readdir(`/proc/${pid}/fd`).catch(() => [])
      const paths = await Promise.all(handles.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")))
      return paths.some((path) => path.startsWith(`${directory}/`))
    }),
  )
  return opened.some(Boolean)
}

const removePlanted = async ({ record, quarantine }: Check, path: string): Promise<PlantedPath> => {
  try {
    return { path, state: "removed", movedTo: await moveToQuarantine(join(record.cwd, path), quarantine) }
  } catch (error) {
    return { path, state: "left", problem: errorMessage(error) }
  }
}

const isChanged = async (cwd: string, before: WatchedEntry): Promise<boolean> => {
  const now = await entryAt(cwd, before.path)
  if (before.type === "link") return now?.type !== "link" || now.target !== before.target
  if (before.content === undefined) return false
  if (now?.type !== "file") return true
  const content = await readFile(join(cwd, before.path)).catch(() => undefined)
  return content?.toString("base64") !== before.content
}

/** Puts back what no sandbox can make read-only: a link, and a file that has other names. */
const restore = async (check: Check, before: WatchedEntry): Promise<PlantedPath> => {
  const { cwd } = check.record
  const now = await entryAt(cwd, before.path)
  const moved = now === undefined ? undefined : await removePlanted(check, before.path)
  if (moved?.state === "left") return moved
  try {
    if (before.type === "link") await symlink(before.target ?? "", join(cwd, before.path))
    else
      await writeFile(join(cwd, before.path), Buffer.from(before.content ?? "", "base64"), {
        flag: "wx",
        mode: before.mode,
      })
    return { path: before.path, state: "restored", ...(moved?.movedTo === undefined ? {} : { movedTo: moved.movedTo }) }
  } catch (error) {
    return { ...moved, path: before.path, state: "removed", problem: errorMessage(error) }
  }
}

const isPlanted = async (check: Check, entry: ProtectedEntry): Promise<boolean> => {
  const { cwd } = check.record
  const path = join(cwd, entry.path)
  if (await isHarmless(cwd, entry)) return false
  if (await isApproved(path, check.approvals)) return false
  return foldName(basename(entry.path)) !== dataDirName || !(await isInUse(path))
}

/**
 * Compares the protected paths of a working directory with those before a command: moves new ones to the quarantine, and restores changed ones.
 * Returns what was found.
 */
export const checkWorkspace = async (check: Check): Promise<readonly PlantedPath[]> => {
  const { cwd, namedFiles, hidden, entries } = check.record
  const known = new Set(entries.map(({ path }) => path))
  const planted: PlantedPath[] = []
  for (const before of entries)
    if ((await isChanged(cwd, before)) && !(await isApproved(join(cwd, before.path), check.approvals)))
      planted.push(await restore(check, before))
  for (const entry of await findProtected({ cwd, namedFiles, hidden, unlock: true }))
    if (!known.has(entry.path) && (await isPlanted(check, entry))) planted.push(await removePlanted(check, entry.path))
  return planted
}
