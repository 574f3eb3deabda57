import { randomBytes } from "node:crypto"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Where the embedded server of one data directory keeps its files. */
export interface ServerFiles {
  readonly directory: string
  /** One file per use of the server. */
  readonly users: string
  /** Address of the server; there only while it is ready for use. */
  readonly record: string
  /** The Temporal process started last, and its ports: outlives the record. */
  readonly process: string
  /** Held by the command that starts a keeper. */
  readonly startLock: string
  /** Held by the keeper for as long as it lives. */
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
    startLock: join(directory, "start.lock"),
    keeperLock: join(directory, "keeper.lock"),
    database: join(dataDir, "temporal.db"),
    log: join(dataDir, "temporal.log"),
  }
}

/** Readers see the old text or the new one, never a part. */
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

/** What the file holds, or undefined where it is absent or is not what `isValid` accepts. */
export const readWhole = <T>(path: string, isValid: (value: unknown) => value is T): T | undefined => {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"))
    return isValid(value) ? value : undefined
  } catch {
    return undefined
  }
}
