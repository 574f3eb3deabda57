import { readFileSync, statfsSync } from "node:fs"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { lastLine } from "../process/run-until-done.ts"
import { serverFiles } from "../process/server-files.ts"

/** A starting server needs some megabytes. */
const leastFreeBytes = 16 * 1024 ** 2

const freeBytesOf = (dataDir: string): number => {
  const { bavail, bsize } = statfsSync(dataDir)
  return bavail * bsize
}

/** Returns the keeper's last log message, with an error that Temporal logged just before. */
const lastMessage = (log: string): string => {
  const [before = "", last = ""] = lastLines(log, 2)
  const message = keeperMessage(last)
  if (message === undefined) return lastLine(last)
  return /^error\b/i.test(before) ? `${message}; ${lastLine(before)}` : message
}

const lastLines = (log: string, count: number): readonly string[] => {
  try {
    const lines = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .slice(-count)
    return [...Array.from({ length: count - lines.length }, () => ""), ...lines]
  } catch {
    return []
  }
}

const keeperMessage = (line: string): string | undefined => /"msg":"keeper: (.*)"\}$/.exec(line)?.[1]

/** Returns the error for an embedded server that did not start, with the reason if it is known, and what to do. */
export const startFailure = (dataDir: string, freeBytes: number = freeBytesOf(dataDir)): AdjutantError => {
  const failed = "the embedded Temporal server could not be started"
  if (freeBytes < leastFreeBytes)
    return new AdjutantError(
      "temporal_unavailable",
      `${failed}: the disk of ${dataDir} is full; free some space, or choose another directory with --data-dir`,
    )
  const { log } = serverFiles(dataDir)
  const reason = lastMessage(log)
  return new AdjutantError(
    "temporal_unavailable",
    `${failed}${reason === "" ? "" : ` (${reason})`}: read ${log}, or set TEMPORAL_ADDRESS to another server`,
  )
}
