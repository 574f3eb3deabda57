import { chmodSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as delay } from "node:timers/promises"

export interface ExclusiveLock {
  release(): void
}

const sqliteBusy = 5

/**
 * Takes a lock between processes; returns undefined if another process has it. The kernel locks an empty SQLite file and releases it when the process
 * dies for any reason, so that no lock is ever stale.
 */
export const tryLock = (path: string): ExclusiveLock | undefined => {
  const database = new DatabaseSync(path)
  try {
    // Nothing is ever written, so no journal is needed.
    database.exec("PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE")
    // By path, since opening and closing the file would release every lock that this process has on it.
    chmodSync(path, 0o600)
  } catch (error) {
    database.close()
    if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy) return undefined
    throw error
  }
  let isHeld = true
  return {
    release: () => {
      if (!isHeld) return
      isHeld = false
      database.close()
    },
  }
}

export interface ExclusiveLockWait {
  readonly signal?: AbortSignal
  /** Called repeatedly during the wait. */
  readonly onWait?: () => void
}

/** Waits for the lock as long as its holder is running; throws the signal's reason when aborted. */
export const waitForLock = async (path: string, { signal, onWait }: ExclusiveLockWait = {}): Promise<ExclusiveLock> => {
  for (;;) {
    signal?.throwIfAborted()
    const lock = tryLock(path)
    if (lock !== undefined) return lock
    onWait?.()
    await delay(100, undefined, { signal })
  }
}
