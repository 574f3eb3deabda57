import { open } from "node:fs/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

export interface SyncedFile {
  datasync(): Promise<void>
  close(): Promise<void>
}

/** Carries what was committed to the disk, without holding up the event loop; commits that wait at the same time share one sync. */
export interface WalSync {
  /** Resolves when everything that was committed before the call outlasts a power cut. Rejects with `storage_failed`. */
  synced(): Promise<void>
  close(): Promise<void>
}

/**
 * With `synchronous = normal`, SQLite leaves the write-ahead log to the operating system and syncs it before each checkpoint. The file keeps
 * its identity while a connection is open.
 */
export const createWalSync = (
  databasePath: string,
  openFile: (path: string) => Promise<SyncedFile> = (path) => open(path, "r+"),
): WalSync => {
  const path = `${databasePath}-wal`
  let file: Promise<SyncedFile> | undefined
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  const sync = async (): Promise<void> => {
    try {
      file ??= openFile(path)
      await (await file).datasync()
    } catch (cause) {
      // After a failed sync nobody knows what is on the disk, so the file is opened anew and the write is reported as lost.
      file?.then((broken) => broken.close()).catch(() => undefined)
      file = undefined
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new AdjutantError("storage_failed", `The session store's log ${path} could not be synced: ${reason}`, {
        cause,
      })
    }
  }
  const run = (): Promise<void> => {
    running = sync().finally(() => (running = undefined))
    return running
  }
  /** A sync that runs already may have begun before this commit. */
  const after = (before: Promise<void>): Promise<void> => {
    const begin = (): Promise<void> => {
      next = undefined
      return run()
    }
    next = before.then(begin, begin)
    return next
  }

  return {
    synced: () => next ?? (running === undefined ? run() : after(running)),
    close: async () => {
      await Promise.allSettled([running, next])
      await (await file)?.close()
      file = undefined
    },
  }
}
