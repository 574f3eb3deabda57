import { existsSync, rmSync } from "node:fs"
import { tryLock } from "../exclusive-lock.ts"
import type { ProgramCache } from "../program-cache.ts"
import { readWhole, writeWhole } from "../server-files.ts"

/** What the process that fills the cache is at, for the others that wait for it. */
export interface SharedProgress {
  readonly pid: number
  readonly line: string
}

const maxLineChars = 300

/** Best effort: who waits can do without it. */
export const shareProgress = ({ progress }: ProgramCache, line: string): void => {
  try {
    writeWhole(progress, { pid: process.pid, line: line.slice(0, maxLineChars) })
  } catch {
    // The disk may be full; the work itself says so.
  }
}

export const endSharedProgress = ({ progress }: ProgramCache): void => rmSync(progress, { force: true })

/** What another process wrote, without characters that a terminal would obey. */
export const readSharedProgress = ({ progress }: ProgramCache): SharedProgress | undefined => {
  const read = readWhole(progress, isSharedProgress)
  return read === undefined ? undefined : { pid: read.pid, line: printable(read.line).slice(0, maxLineChars) }
}

/** The process that fills the cache now, and what it is at. */
export const whoFills = (cache: ProgramCache): SharedProgress | undefined => {
  if (!existsSync(cache.lock)) return undefined
  const lock = tryLock(cache.lock)
  lock?.release()
  return lock === undefined ? readSharedProgress(cache) : undefined
}

const printable = (text: string): string => text.replaceAll(/\p{C}/gu, "")

const isSharedProgress = (value: unknown): value is SharedProgress =>
  typeof value === "object" &&
  value !== null &&
  "pid" in value &&
  Number.isSafeInteger(value.pid) &&
  "line" in value &&
  typeof value.line === "string"
