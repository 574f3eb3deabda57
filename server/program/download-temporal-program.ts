import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { officialArchive } from "./official-archive.ts"
import type { ProgramAttempt, ProgramSearch } from "./program-search.ts"
import { lastLine, runUntilDone } from "../process/run-until-done.ts"

/** Downloads the official `temporal` into the folder, in a separate process that is ended if nothing arrives. It is used only if its archive has the known hash. */
export const downloadTemporalProgram = async (folder: string, search: ProgramSearch): Promise<ProgramAttempt> => {
  const archive = search.archive ?? officialArchive(process.platform, process.arch)
  if (archive === undefined)
    return { ok: false, reason: `there is no download for ${process.platform} on ${process.arch}` }
  const from = new URL(archive.url).host
  const stallMs = search.downloadStallMs ?? 15_000
  const progressEveryMs = search.progressEveryMs ?? 5_000
  let bytes = 0
  let movedAtMs = 0
  let reportedAtMs = 0
  let hasStalled = false
  search.onProgress?.("looking for the official Temporal program")
  const end = await runUntilDone({
    program: process.execPath,
    args: [fetcherPath(), folder, archive.url, archive.sha256],
    cwd: folder,
    env: downloadEnvironment(search.env),
    signal: search.signal,
    everyMs: 100,
    watch: (elapsedMs) => {
      const bytesNow = bytesIn(folder)
      if (bytesNow !== bytes) movedAtMs = elapsedMs
      bytes = bytesNow
      if (elapsedMs - reportedAtMs >= progressEveryMs) {
        reportedAtMs = elapsedMs
        search.onProgress?.(
          bytes > 0
            ? `downloading the Temporal server once … ${Math.round(bytes / 1_000_000)} MB`
            : `waiting for ${from} … ${Math.round(elapsedMs / 1000)} s`,
        )
      }
      hasStalled = elapsedMs - movedAtMs > stallMs
      return hasStalled ? "stop" : "continue"
    },
  })
  if (end.exitCode === 0) return { ok: true }
  const why = hasStalled ? "no answer" : lastLine(end.errorText)
  return { ok: false, reason: `downloading from ${from} failed: ${why}` }
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

/** The proxy and the certificates of the machine count, as for other programs. */
const downloadEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => passedOn.test(name))),
  NODE_USE_ENV_PROXY: "1",
  NODE_USE_SYSTEM_CA: "1",
})
