import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { buildTemporalProgram } from "./build-temporal-program.ts"
import { downloadTemporalProgram } from "./download-temporal-program.ts"
import { tryLock, waitForLock } from "../process/exclusive-lock.ts"
import { findTemporalProgram } from "./find-temporal-program.ts"
import { type ProgramCache, programCache } from "./program-cache.ts"
import { endSharedProgress, readSharedProgress, shareProgress } from "./shared-progress.ts"
import { reportWait } from "../process/report-wait.ts"
import type { ProgramAttempt, ProgramSearch, TemporalProgram } from "./program-search.ts"

/**
 * Returns the `temporal` program: from PATH, from the cache, downloaded, or built with Go. A download or build fills the user's cache, by one process at
 * a time. Throws AdjutantError `temporal_unavailable` if every source fails.
 */
export const ensureTemporalProgram = async (search: ProgramSearch): Promise<TemporalProgram> => {
  const found = await findTemporalProgram(search)
  if (found !== undefined) return found
  const cache = programCache(search.env)
  if (cache === undefined)
    throw unavailable(["there is no home directory: set XDG_CACHE_HOME to a folder that is writable"])
  try {
    mkdirSync(cache.directory, { recursive: true })
  } catch {
    throw unavailable([`${cache.directory} is not writable: set XDG_CACHE_HOME to a folder that is`])
  }
  const lock = tryLock(cache.lock) ?? (await waitForFiller(cache, search))
  try {
    return (await findTemporalProgram({ ...search, onProgress: undefined })) ?? (await fillCache(cache, search))
  } finally {
    lock.release()
  }
}

/** Waits for another process as long as it is running, however long its build takes, and reports its progress. */
const waitForFiller = (cache: ProgramCache, { onProgress, progressEveryMs, signal }: ProgramSearch) => {
  const waiting = "waiting for another command to download or build the Temporal server"
  onProgress?.(waiting)
  const onWait = reportWait(progressEveryMs ?? 5_000, (elapsedMs) => {
    const shared = readSharedProgress(cache)
    onProgress?.(
      shared === undefined
        ? `${waiting} … ${Math.round(elapsedMs / 1000)} s`
        : `another command (process ${shared.pid}): ${shared.line}`,
    )
  })
  return waitForLock(cache.lock, { signal, onWait })
}

const sources = [
  { source: "download", provide: downloadTemporalProgram },
  { source: "go", provide: buildTemporalProgram },
] as const

const fillCache = async (cache: ProgramCache, search: ProgramSearch): Promise<TemporalProgram> => {
  sweepDrafts(cache.directory)
  endSharedProgress(cache)
  const onProgress = (line: string): void => {
    shareProgress(cache, line)
    search.onProgress?.(line)
  }
  try {
    return await provideProgram(cache, { ...search, onProgress })
  } finally {
    endSharedProgress(cache)
  }
}

const provideProgram = async (cache: ProgramCache, search: ProgramSearch): Promise<TemporalProgram> => {
  const reasons: string[] = []
  for (const { source, provide } of sources) {
    const draft = mkdtempSync(join(cache.directory, draftPrefix))
    try {
      const attempt: ProgramAttempt = await provide(draft, search)
      search.signal?.throwIfAborted()
      if (attempt.ok) {
        renameSync(join(draft, "temporal"), cache.program)
        return { path: cache.program, source }
      }
      reasons.push(attempt.reason)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  throw unavailable(reasons)
}

const draftPrefix = "draft-"

// Only the process with the lock writes here, so any other draft was abandoned.
const sweepDrafts = (directory: string): void => {
  for (const name of readdirSync(directory)) {
    if (name.startsWith(draftPrefix)) rmSync(join(directory, name), { recursive: true, force: true })
  }
}

const unavailable = (reasons: readonly string[]): AdjutantError =>
  new AdjutantError(
    "temporal_unavailable",
    "there is no Temporal server: set TEMPORAL_ADDRESS to a running one, or put the `temporal` program on PATH " +
      `(https://docs.temporal.io/cli), or install Go so that it can be built here (${reasons.join("; ")})`,
  )
