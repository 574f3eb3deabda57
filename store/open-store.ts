import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { RememberedEngine } from "../domain/engine/engine-identity.ts"
import type { SessionEvent } from "../contracts/event.ts"
import type { MissingCount } from "../domain/engine/missing-sessions.ts"
import type { Database, StoreLogger } from "./database/database.ts"
import { createEngineMemory } from "./engine/engine-memory.ts"
import { countMissing } from "./engine/select-missing.ts"
import { recentEvents } from "./events/recent-events.ts"
import { findStoreId, isStore, migrate } from "./migrations/migrate.ts"
import { type MigrationDialect, postgresMigrations, sqliteMigrations } from "./migrations/migration-dialect.ts"
import { migrations } from "./migrations/migrations.ts"
import { openSqliteDatabase } from "./sqlite/open-sqlite-database.ts"
import { parsePostgresUrl } from "./postgres/postgres-address.ts"
import { prepareDataFile } from "./sqlite/prepare-data-file.ts"
import { isMissingFile, storeLocation } from "./store-location.ts"
import { createStore, type Store } from "./store.ts"

export interface StoreOptions {
  /** `sqlite:` for `store.db` in the data directory, `sqlite:/absolute/path`, or `postgres://user@host:5432/database`. */
  readonly url: string
  readonly dataDir: string
  /** Provides `PGPASSWORD` and `PGUSER`; default: the process's environment. */
  readonly env?: NodeJS.ProcessEnv
  readonly logger?: StoreLogger
  /** How long a write waits for another process's write. */
  readonly lockTimeoutMs?: number
  /** How often followers check for commits of other processes. */
  readonly pollIntervalMs?: number
  /** How long a PostgreSQL server may be unavailable before calls fail. */
  readonly patienceMs?: number
  /** How long a statement waits for the answer of a PostgreSQL server. */
  readonly answerLimitMs?: number
  /** Returns milliseconds since the epoch. */
  readonly now?: () => number
}

export interface OpenStoreOptions extends StoreOptions {
  /** Refuses a missing store instead of creating it. */
  readonly mustExist?: boolean
}

const defaultPollMs = 25

/**
 * Opens the store and upgrades its schema. Creates a missing file and its folder, but not a missing database. Rejects with `invalid_config`,
 * `data_dir_unusable` or `storage_failed`, and with `mustExist` with `session_not_found`.
 */
export const openStore = async (options: OpenStoreOptions): Promise<Store> => {
  const { pollIntervalMs = defaultPollMs, mustExist = false } = options
  const location = storeLocation(options.url, options.dataDir)
  if (mustExist && location.kind === "sqlite" && isMissingFile(location)) throw missingStore(location.path)
  const { database, dialect, place } = await openDatabase(options)
  try {
    if (mustExist && !(await isStore(database, dialect))) throw missingStore(place)
    const storeId = await migrate(database, { migrations, dialect, place })
    return createStore({ database, storeId, pollIntervalMs })
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens a store without creating or upgrading it. Returns undefined if there is none, or if its schema has another version. */
export const openStoreAsIs = async (options: StoreOptions): Promise<Store | undefined> => {
  if (isMissingFile(storeLocation(options.url, options.dataDir))) return undefined
  const { database, dialect, place } = await openDatabase(options)
  try {
    const storeId = await findStoreId(database, { migrations, dialect, place })
    if (storeId !== undefined)
      return createStore({ database, storeId, pollIntervalMs: options.pollIntervalMs ?? defaultPollMs })
  } catch (error) {
    await database.close()
    throw error
  }
  await database.close()
  return undefined
}

const missingStore = (place: string): AdjutantError =>
  new AdjutantError(
    "session_not_found",
    `there is no session store ${place}, and therefore no task: check --data-dir and store.url`,
  )

/** What a store records about its engine. */
export interface StoreReport {
  readonly storeId: string
  readonly engine: RememberedEngine | undefined
  readonly sessions: MissingCount
  /** What runs of the last seven days said about prompts that a server cut, the newest first. */
  readonly cutPrompts: readonly SessionEvent[]
}

const recentMs = 7 * 24 * 60 * 60 * 1_000

/** Reads a store without creating or upgrading it. Returns undefined if there is none, or if its schema has another version. */
export const inspectStore = async (options: StoreOptions): Promise<StoreReport | undefined> => {
  const location = storeLocation(options.url, options.dataDir)
  if (isMissingFile(location)) return undefined
  const { database, dialect, place } = await openDatabase(options)
  try {
    const storeId = await findStoreId(database, { migrations, dialect, place })
    if (storeId === undefined) return undefined
    const engine = await createEngineMemory(database).read()
    const sessions = await countMissing(database, engine?.claimId ?? "")
    const sinceMs = database.now() - recentMs
    const cutPrompts = await database.read((db) => recentEvents(db, { type: "prompt-cut", sinceMs }))
    return { storeId, engine, sessions, cutPrompts }
  } finally {
    await database.close()
  }
}

interface OpenedDatabase {
  readonly database: Database
  readonly dialect: MigrationDialect
  readonly place: string
}

const openDatabase = async (options: StoreOptions): Promise<OpenedDatabase> => {
  const { url, dataDir, logger, lockTimeoutMs = 30_000, patienceMs = 15_000, answerLimitMs = 20_000 } = options
  const { now = Date.now } = options
  const location = storeLocation(url, dataDir)
  switch (location.kind) {
    case "sqlite": {
      const { path } = location
      await prepareDataFile(path)
      const database = await openSqliteDatabase({ path, lockTimeoutMs, now, logger })
      return { database, dialect: sqliteMigrations, place: path }
    }
    case "postgres": {
      const address = parsePostgresUrl(location.url, options.env)
      // Loaded here, so that programs with an SQLite store start without PostgreSQL's client.
      const { openPostgresDatabase } = await import("./postgres/open-postgres-database.ts")
      const database = await openPostgresDatabase({
        ...{ address, lockTimeoutMs, patienceMs, answerLimitMs },
        ...{ now, logger },
      })
      return { database, dialect: postgresMigrations, place: address.place }
    }
  }
}
