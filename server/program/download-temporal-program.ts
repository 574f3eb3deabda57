import { existsSync, readdirSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ProgramAttempt, ProgramSearch } from "./program-search.ts"
import { lastLine, runUntilDone } from "../process/run-until-done.ts"
import { temporalCliVersion } from "./temporal-version.ts"

/**
 * Downloads the official `temporal` into the folder. The SDK does this in a separate process, since it has no time limit and would also start a server.
 * The process is ended as soon as the file is complete.
 */
export const downloadTemporalProgram = async (folder: string, search: ProgramSearch): Promise<ProgramAttempt> => {
  const downloaded = join(folder, `temporal-${temporalCliVersion}`)
  const stallMs = search.downloadStallMs ?? 15_000
  const progressEveryMs = search.progressEveryMs ?? 5_000
  let bytes = 0
  let movedAtMs = 0
  let reportedAtMs = 0
  let hasStalled = false
  search.onProgress?.("looking for the official Temporal program")
  const end = await runUntilDone({
    program: process.execPath,
    args: [fetcherPath(), folder],
    cwd: folder,
    env: downloadEnvironment(search.env),
    signal: search.signal,
    everyMs: 100,
    watch: (elapsedMs) => {
      // The SDK gives the file this name only when it is complete.
      if (existsSync(downloaded)) return "stop"
      const bytesNow = bytesIn(folder)
      if (bytesNow !== bytes) movedAtMs = elapsedMs
      bytes = bytesNow
      if (elapsedMs - reportedAtMs >= progressEveryMs) {
        reportedAtMs = elapsedMs
        search.onProgress?.(
          bytes > 0
            ? `downloading the Temporal server once … ${Math.round(bytes / 1_000_000)} MB`
            : `waiting for temporal.download … ${Math.round(elapsedMs / 1000)} s`,
        )
      }
      hasStalled = elapsedMs - movedAtMs > stallMs
      return hasStalled ? "stop" : "continue"
    },
  })
  if (existsSync(downloaded)) {
    renameSync(downloaded, join(folder, "temporal"))
    return { ok: true }
  }
  const why = hasStalled ? "no answer" : lastLine(end.errorText)
  return { ok: false, reason: `downloading from temporal.download failed: ${why}` }
}

const fetcherPath = (): string => {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js"
  return fileURLToPath(new URL(`./fetch-official-program${extension}`, import.meta.url))
}

const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )

const passedOn = /^(PATH|HOME|TMPDIR|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy)$/

const downloadEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => passedOn.test(name)))
