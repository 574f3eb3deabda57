import { chmodSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as delay } from "node:timers/promises"

export interface ExclusiveLock {
  release(): void
}

const sqliteBusy = 5

/**
 * Takes a lock between processes, or answers undefined where another holds it. The lock is the kernel's, on an empty SQLite
 * file: it ends with its holder, however that dies, so that no lock is ever stale.
 */
export const tryLock = (path: string): ExclusiveLock | undefined => {
  const database = new DatabaseSync(path)
  try {
    // Nothing is ever written, so no journal is needed.
    database.exec("PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE")
    // By path: opening and closing the file here would end every lock that this process has on it.
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

export interface LockWait {
  readonly signal?: AbortSignal
  /** Called again and again while waiting. */
  readonly onWait?: () => void
}

/** Waits for the lock as long as its holder lives; throws the signal's reason when aborted. */
export const waitForLock = async (path: string, { signal, onWait }: LockWait = {}): Promise<ExclusiveLock> => {
  for (;;) {
    signal?.throwIfAborted()
    const lock = tryLock(path)
    if (lock !== undefined) return lock
    onWait?.()
    await delay(100, undefined, { signal })
  }
}
