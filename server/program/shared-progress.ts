import { existsSync, rmSync } from "node:fs"
import { tryLock } from "../process/exclusive-lock.ts"
import type { ProgramCache } from "./program-cache.ts"
import { readWhole, writeWhole } from "../process/server-files.ts"

/** Progress of the process that fills the cache, for the processes that wait for it. */
export interface SharedProgress {
  readonly pid: number
  readonly line: string
}

const maxLineChars = 300

/** Writes the progress for other processes. Best effort. */
export const shareProgress = ({ progress }: ProgramCache, line: string): void => {
  try {
    writeWhole(progress, { pid: process.pid, line: line.slice(0, maxLineChars) })
  } catch {
    // If the disk is full, the download or build reports it.
  }
}

export const endSharedProgress = ({ progress }: ProgramCache): void => rmSync(progress, { force: true })

/** Returns what another process wrote, without control characters. */
export const readSharedProgress = ({ progress }: ProgramCache): SharedProgress | undefined => {
  const read = readWhole(progress, isSharedProgress)
  return read === undefined ? undefined : { pid: read.pid, line: printable(read.line).slice(0, maxLineChars) }
}

/** Returns the progress of the process that fills the cache now; undefined if none does. */
export const progressOfFiller = (cache: ProgramCache): SharedProgress | undefined => {
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
