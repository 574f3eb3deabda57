import { existsSync, rmSync } from "node:fs"
import { tryLock } from "../process/exclusive-lock.ts"
import { hasFields, isText } from "../process/has-fields.ts"
import type { ProgramCache } from "./program-cache.ts"
import { readWhole, writeWhole } from "../process/server-files.ts"

/** Progress of the process that fills the cache, for the processes that wait for it. */
export interface SharedProgress {
  readonly pid: number
  readonly line: string
}

const maxLineChars = 300

const isSharedProgress = hasFields<SharedProgress>({ pid: Number.isSafeInteger, line: isText })

/** Writes the progress for other processes. Ignores failures. */
export const shareProgress = ({ progress }: ProgramCache, line: string): void => {
  try {
    writeWhole(progress, { pid: process.pid, line: line.slice(0, maxLineChars) })
  } catch {
    // If the disk is full, the download or build reports it.
  }
}

export const endSharedProgress = ({ progress }: ProgramCache): void => rmSync(progress, { force: true })

/** Returns the progress that another process wrote, without control characters. */
export const readSharedProgress = ({ progress }: ProgramCache): SharedProgress | undefined => {
  const read = readWhole(progress, isSharedProgress)
  return read === undefined ? undefined : { pid: read.pid, line: printable(read.line).slice(0, maxLineChars) }
}

/** Returns the progress of the process that is filling the cache; undefined if there is none. */
export const progressOfFiller = (cache: ProgramCache): SharedProgress | undefined => {
  if (!existsSync(cache.lock)) return undefined
  const lock = tryLock(cache.lock)
  lock?.release()
  return lock === undefined ? readSharedProgress(cache) : undefined
}

const printable = (text: string): string => text.replaceAll(/\p{C}/gu, "")
