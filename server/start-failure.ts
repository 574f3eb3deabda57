import { readFileSync, statfsSync } from "node:fs"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { lastLine } from "./process/run-until-done.ts"
import { serverFiles } from "./process/server-files.ts"

/** A server that starts needs some megabytes at once. */
const leastFreeBytes = 16 * 1024 ** 2

const freeBytesOf = (dataDir: string): number => {
  const { bavail, bsize } = statfsSync(dataDir)
  return bavail * bsize
}

/** The last words of the keeper, and what Temporal complained about just before. */
const lastWords = (log: string): string => {
  const [before = "", last = ""] = lastLines(log, 2)
  const keeperSaid = keeperMessage(last)
  if (keeperSaid === undefined) return lastLine(last)
  return /^error\b/i.test(before) ? `${keeperSaid}; ${lastLine(before)}` : keeperSaid
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

/** Why the embedded server of a data directory did not start, as far as can be told, and what to do. */
export const startFailure = (dataDir: string, freeBytes: number = freeBytesOf(dataDir)): AdjutantError => {
  const failed = "The embedded Temporal server could not be started"
  if (freeBytes < leastFreeBytes)
    return new AdjutantError(
      "temporal_unavailable",
      `${failed}: the disk of ${dataDir} is full. Free some space, or choose another place with --data-dir.`,
    )
  const { log } = serverFiles(dataDir)
  const reason = lastWords(log)
  return new AdjutantError(
    "temporal_unavailable",
    `${failed}${reason === "" ? "" : ` (${reason})`}: read ${log}, or set TEMPORAL_ADDRESS to another server.`,
  )
}
