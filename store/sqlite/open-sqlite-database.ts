import { DatabaseSync } from "node:sqlite"
import { Kysely } from "kysely"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Database, StoreLogger } from "../database/database.ts"
import { nodeSqliteDialect } from "./node-sqlite-dialect.ts"
import { retryWhileBusy } from "./retry-while-busy.ts"
import type { DatabaseSchema } from "../schema/schema.ts"
import { translateSqliteError } from "./sqlite-error.ts"
import { createWalSync } from "./wal-sync.ts"
import { createOutageNote } from "../database/write-outage.ts"

export interface SqliteOptions {
  readonly path: string
  /** How long a write waits for another process's write. */
  readonly lockTimeoutMs: number
  readonly now: () => number
  readonly logger?: StoreLogger
}

/** Short, since it blocks the event loop; `retryWhileBusy` waits longer. */
const busyTimeoutMs = 20

/** `createWalSync` syncs commits. The write-ahead log never grows far beyond 1 MB, and deleted data is overwritten. */
const pragmas = [
  "pragma synchronous = normal",
  "pragma foreign_keys = on",
  "pragma wal_autocheckpoint = 128",
  "pragma journal_size_limit = 1048576",
  "pragma secure_delete = on",
]

/** Opens two connections to an existing file, so that reads continue while a write waits for another process. */
export const openSqliteDatabase = async (options: SqliteOptions): Promise<Database> => {
  const { path, lockTimeoutMs } = options
  const translated = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw translateSqliteError(error, path)
    }
  }
  const connections = await translated(() => connect(path, lockTimeoutMs))
  const lock = { timeoutMs: lockTimeoutMs, place: path, onWaited: warnOf(options) }
  const writer = new Kysely<DatabaseSchema>({ dialect: nodeSqliteDialect(connections.writer, lock) })
  const reader = new Kysely<DatabaseSchema>({ dialect: nodeSqliteDialect(connections.reader, lock) })
  const wal = createWalSync(path)
  const note = createOutageNote(options.now)
  const dataVersion = connections.reader.prepare("pragma data_version")

  return {
    read: (query) => translated(() => query(reader)),
    write: (body, outlasts = "power-cut") =>
      note.noted(() =>
        translated(async () => {
          const result = await writer.transaction().execute(body)
          if (outlasts === "power-cut") await wal.synced()
          return result
        }),
      ),
    outage: note.current,
    synced: () => translated(() => wal.synced()),
    now: options.now,
    sharedNow: async () => options.now(),
    changeCounter: () => {
      try {
        return Number(dataVersion.get()?.["data_version"])
      } catch (error) {
        throw translateSqliteError(error, path)
      }
    },
    shrink: () => translated(() => shrink(connections.writer, lockTimeoutMs)),
    close: async () => {
      await wal.close()
      await reader.destroy()
      if (connections.reader.isOpen) connections.reader.close()
      await writer.destroy()
      if (connections.writer.isOpen) connections.writer.close()
    },
  }
}

const slowLockMs = 1000

const warnOf =
  ({ path, logger }: SqliteOptions) =>
  (waitedMs: number): void => {
    if (waitedMs >= slowLockMs)
      logger?.warn({ path, waitedMs }, "a write waited for another process's lock on the session store")
  }

const connect = async (
  path: string,
  lockTimeoutMs: number,
): Promise<{ writer: DatabaseSync; reader: DatabaseSync }> => {
  const writer = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    await retryWhileBusy(() => configure(writer, path), lockTimeoutMs)
    const reader = new DatabaseSync(path, { timeout: busyTimeoutMs })
    try {
      await retryWhileBusy(() => reader.exec("pragma query_only = on"), lockTimeoutMs)
      // The built-in function converts ASCII letters only.
      reader.function("lower", { deterministic: true }, (text) =>
        typeof text === "string" ? text.toLowerCase() : text,
      )
      return { writer, reader }
    } catch (error) {
      reader.close()
      throw error
    }
  } catch (error) {
    writer.close()
    throw error
  }
}

/** Some 2 MB, which takes a few milliseconds. */
const pagesPerStep = 256

/** Moves free pages to the end of the file, and cuts them off, in steps. A file of an older version has no map of its pages, and keeps its size. */
const shrink = async (database: DatabaseSync, lockTimeoutMs: number): Promise<void> => {
  const freePages = () => Number(database.prepare("pragma freelist_count").get()?.["freelist_count"] ?? 0)
  for (let left = freePages(); left > 0;) {
    await retryWhileBusy(() => database.exec(`pragma incremental_vacuum(${pagesPerStep})`), lockTimeoutMs)
    const now = freePages()
    if (now >= left) return
    left = now
    await new Promise(setImmediate)
  }
}

/** Applies only to a new file. In SQLite's default page of 4 KB, a tool result of 2 KB takes half, and no second row fits. */
const pageBytes = 8_192

const configure = (database: DatabaseSync, path: string): void => {
  database.exec(`pragma page_size = ${pageBytes}`)
  // Also only for a new file: it can shrink.
  database.exec("pragma auto_vacuum = incremental")
  const mode = database.prepare("pragma journal_mode = wal").get()?.["journal_mode"]
  if (mode !== "wal")
    throw new AdjutantError(
      "data_dir_unusable",
      `the file system of ${path} does not support a shared write-ahead log: use a data directory on a local disk`,
    )
  for (const pragma of pragmas) database.exec(pragma)
}
