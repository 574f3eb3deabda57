import { closeSync, openSync, readSync, statSync } from "node:fs"

const shownBytes = 256 * 1024

/** Returns the last lines of a log; none if there is no log. */
export const lastLogLines = (path: string, count: number): readonly string[] => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return []
  const start = Math.max(0, size - shownBytes)
  const file = openSync(path, "r")
  try {
    const buffer = Buffer.alloc(size - start)
    const length = readSync(file, buffer, 0, buffer.length, start)
    const lines = buffer.toString("utf8", 0, length).split("\n")
    return (start === 0 ? lines : lines.slice(1)).filter((line) => line !== "").slice(-count)
  } finally {
    closeSync(file)
  }
}
