import { copyFileSync, openSync, statSync, truncateSync } from "node:fs"

const maxLogBytes = 10 * 1024 * 1024

/** Moves the content of a long log to `<path>.1`. The file itself stays: processes that append to it continue to do so. */
export const rotateLog = (path: string): void => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size <= maxLogBytes) return
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}

/** Opens a log to append to it, after its rotation if it is long. */
export const openLog = (path: string): number => {
  rotateLog(path)
  return openSync(path, "a", 0o600)
}
