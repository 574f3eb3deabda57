import { lstat, readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { diskPath } from "../disk/disk-path.ts"
import { listDirectory, readLink } from "../disk/list-directory.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import type { PlantedPath } from "../../domain/workspace/planted-paths.ts"
import { contentAt, isSameContent } from "./content.ts"
import { isDataDir } from "./describe-before.ts"
import { findProtected } from "./find-protected.ts"
import { isHarmless, isHarmlessChange } from "./is-harmless.ts"
import { linkSteps } from "./link-steps.ts"
import { moveToQuarantine, restoreContent } from "./quarantine.ts"
import type { ProtectedEntry } from "./scan-protected.ts"
import type { StateBefore, WatchedEntry, WatchRecord } from "./watch-record.ts"

interface Check {
  readonly record: Pick<WatchRecord, "cwd" | "namedFiles" | "hidden">
  readonly state: StateBefore
  readonly quarantine: string
}

/** A path that differs from the state before, and what was done about it. */
export interface Difference {
  /** Absolute. */
  readonly path: string
  readonly state: PlantedPath["state"]
  readonly movedTo?: string
  readonly problem?: string
}

/** Returns whether a process of this user has a file of a directory open. A data directory in use was not planted by a command. */
const isInUse = async (directory: string): Promise<boolean> => {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))
  const opened = await Promise.all(
    pids.map(async (pid) => {
      const handles = await readdir(`/proc/${pid}/fd`).catch(() => [])
      const paths = await Promise.all(handles.map((fd) => readLink(`/proc/${pid}/fd/${fd}`).catch(() => "")))
      return paths.some((path) => path.startsWith(`${directory}/`))
    }),
  )
  return opened.some(Boolean)
}

const moveAway = async ({ quarantine }: Check, path: string): Promise<Difference> => {
  try {
    return { path, state: "removed", movedTo: await moveToQuarantine(path, quarantine) }
  } catch (error) {
    return { path, state: "left", problem: errorMessage(error) }
  }
}

const putBack = async ({ state }: Check, { path, content }: WatchedEntry, moved?: Difference): Promise<Difference> => {
  const bytes = content.type === "file" ? await state.bytes(content.hash) : undefined
  if (content.type === "file" && bytes === undefined)
    return { ...moved, path, state: "removed", problem: "it was too large to be stored as it was before" }
  try {
    await restoreContent(path, content, bytes)
    return { ...moved, path, state: "restored" }
  } catch (error) {
    return { ...moved, path, state: moved?.state ?? "left", problem: errorMessage(error) }
  }
}

/** Makes one path what it was before, if it is not. */
const compare = async (check: Check, before: WatchedEntry): Promise<Difference | undefined> => {
  const { cwd } = check.record
  const { path, role, content } = before
  if (content.type === "absent") {
    const { real } = await linkSteps(path)
    const isThere = isInside(cwd, real) && (await contentAt(real)).type !== "absent"
    return isThere ? moveAway(check, real) : undefined
  }
  const now = await contentAt(path)
  if (isSameContent(content, now)) return undefined
  const mayEnd = content.type === "other" || role === "git-todo"
  if (now.type === "absent") return mayEnd ? undefined : putBack(check, before)
  const bytes = content.type === "file" && now.type === "file" ? await check.state.bytes(content.hash) : undefined
  const mayChange = role === "git-config" || role === "git-todo"
  if (mayChange && bytes !== undefined && (await isHarmlessChange(before, bytes))) return undefined
  const moved = await moveAway(check, path)
  return moved.state === "left" || content.type === "other" ? moved : putBack(check, before, moved)
}

/** Returns what a protected directory contains that it did not contain before, outermost paths only. */
const newIn = async (known: ReturnType<typeof knownPaths>, directory: string): Promise<readonly string[]> => {
  const entries = await listDirectory(directory).catch(() => [])
  const found: string[] = []
  for (const { name } of entries) {
    const path = join(directory, name)
    if (name === "node_modules" || known.paths.has(path)) continue
    const existing = await lstat(diskPath(path)).catch(() => undefined)
    if (existing?.isDirectory() === true && known.above.has(path)) found.push(...(await newIn(known, path)))
    else found.push(path)
  }
  return found
}

const knownPaths = ({ entries }: StateBefore) => {
  const existed = [...entries.values()].filter(({ content }) => content.type !== "absent")
  const above = new Set<string>()
  for (const { path } of existed)
    for (let directory = dirname(path); !above.has(directory) && directory !== "/"; directory = dirname(directory))
      above.add(directory)
  return { paths: new Set(existed.map(({ path }) => path)), above }
}

const isPlanted = async (cwd: string, entry: ProtectedEntry): Promise<boolean> => {
  if (await isHarmless(cwd, entry)) return false
  return !isDataDir(entry.path) || !(await isInUse(join(cwd, entry.path)))
}

/**
 * Makes the protected paths of a working directory what they were before: moves what is new or has another content to the quarantine, and puts back what
 * was there. Returns what differed.
 */
export const checkWorkspace = async (check: Check): Promise<readonly Difference[]> => {
  const { cwd, namedFiles, hidden } = check.record
  const known = knownPaths(check.state)
  const differences: Difference[] = []
  const before = [...check.state.entries.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1))
  for (const entry of before) {
    const difference = await compare(check, entry)
    if (difference !== undefined) differences.push(difference)
  }
  for (const { path, content } of before)
    if (content.type === "directory" && !isDataDir(path))
      for (const added of await newIn(known, path)) differences.push(await moveAway(check, added))
  const { entries, unlisted } = await findProtected({ cwd, namedFiles, hidden, unlock: true })
  for (const entry of entries) {
    const path = join(cwd, entry.path)
    if (known.paths.has(path)) continue
    if (known.above.has(path) && entry.type === "directory")
      for (const added of await newIn(known, path)) differences.push(await moveAway(check, added))
    else if (await isPlanted(cwd, entry)) differences.push(await moveAway(check, path))
  }
  for (const { path, problem } of unlisted)
    differences.push({ path: join(cwd, path), state: "left", problem: `it cannot be listed: ${problem}` })
  return differences
}
