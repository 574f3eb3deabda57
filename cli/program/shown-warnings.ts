import { createHash } from "node:crypto"
import { appendFileSync, readFileSync } from "node:fs"
import path from "node:path"

/** Returns whether a warning has not been shown in this project before, and notes that it is shown now. */
export type IsNewWarning = (text: string) => boolean

/** Keeps the hashes of shown warnings in the data directory. Where that is not possible, a warning is shown again. */
export const rememberWarnings = (dataDir: string): IsNewWarning => {
  const file = path.join(dataDir, "shown-warnings")
  const read = (): readonly string[] => {
    try {
      return readFileSync(file, "utf8").split("\n")
    } catch {
      return []
    }
  }
  return (text) => {
    const hash = createHash("sha256").update(text).digest("hex")
    if (read().includes(hash)) return false
    try {
      appendFileSync(file, `${hash}\n`, { mode: 0o600 })
    } catch {
      // Not writable: the warning comes again, which is better than not at all.
    }
    return true
  }
}
