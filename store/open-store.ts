import { assembleStore } from "./assemble-store.ts"
import { migrate } from "./migrate.ts"
import { migrations } from "./migrations/index.ts"
import { openSqliteDatabase } from "./open-sqlite-database.ts"
import { prepareDataFile } from "./prepare-data-file.ts"
import { sqlitePathOf } from "./store-location.ts"
import type { StoreLogger } from "./store-logger.ts"
import type { Store } from "./store.ts"

export interface StoreOptions {
  /** `sqlite:` for `store.db` in the data directory, or `sqlite:/absolute/path`. */
  readonly url: string
  readonly dataDir: string
  readonly logger?: StoreLogger
  /** How long a write waits for another process's. */
  readonly lockTimeoutMs?: number
  /** How often followers look for commits of other processes. */
  readonly pollIntervalMs?: number
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/**
 * Opens the store and brings its schema up to date; the file and its folder are made where they are missing. Rejects with
 * `invalid_config`, `data_dir_unusable` or `storage_failed`.
 */
export const openStore = async (options: StoreOptions): Promise<Store> => {
  const { url, dataDir, logger, lockTimeoutMs = 30_000, pollIntervalMs = 25, now = Date.now } = options
  const path = sqlitePathOf(url, dataDir)
  await prepareDataFile(path)
  const database = await openSqliteDatabase({ path, lockTimeoutMs, now, logger })
  try {
    const storeId = await migrate(database, migrations, path)
    return assembleStore({ database, storeId, pollIntervalMs })
  } catch (error) {
    await database.close()
    throw error
  }
}
