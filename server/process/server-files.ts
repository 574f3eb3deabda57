import { randomBytes } from "node:crypto"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Paths of the files of one data directory's embedded server. */
export interface ServerFiles {
  readonly directory: string
  /** One file per use of the server. */
  readonly users: string
  /** The record of the server; it exists only while the server is ready. */
  readonly record: string
  /** The last started Temporal process and its ports; it outlives the record. */
  readonly process: string
  /** Locked by the process that keeps the server. */
  readonly keeperLock: string
  readonly database: string
  readonly log: string
}

export const serverFiles = (dataDir: string): ServerFiles => {
  const directory = join(dataDir, "server")
  return {
    directory,
    users: join(directory, "users"),
    record: join(directory, "server.json"),
    process: join(directory, "process.json"),
    keeperLock: join(directory, "keeper.lock"),
    database: join(dataDir, "temporal.db"),
    log: join(dataDir, "temporal.log"),
  }
}

/** Replaces a file atomically: readers see the old text or the new one. */
export const writeWhole = (path: string, value: unknown): void => {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString("hex")}.tmp`
  writeFileSync(draft, `${JSON.stringify(value)}\n`, { mode: 0o600 })
  try {
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Returns the content of a file; undefined if the file is missing or `isValid` does not accept its content. */
export const readWhole = <T>(path: string, isValid: (value: unknown) => value is T): T | undefined => {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"))
    return isValid(value) ? value : undefined
  } catch {
    return undefined
  }
}
