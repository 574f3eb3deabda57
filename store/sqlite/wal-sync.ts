import { open } from "node:fs/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

export interface SyncedFile {
  datasync(): Promise<void>
  close(): Promise<void>
}

/**
 * Creates the sync of a database's write-ahead log: it does not block the event loop, and commits that wait at the same time share one. With
 * `synchronous = normal`, SQLite leaves the log to the operating system and syncs it before each checkpoint. The log remains the same file while a
 * connection is open.
 */
export const createWalSync = (
  databasePath: string,
  openFile: (path: string) => Promise<SyncedFile> = (path) => open(path, "r+"),
) => {
  const path = `${databasePath}-wal`
  let file: Promise<SyncedFile> | undefined
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  const sync = async (): Promise<void> => {
    try {
      file ??= openFile(path)
      await (await file).datasync()
    } catch (cause) {
      // After a failed sync the state of the disk is unknown, so the file is opened again and the write is reported as lost.
      file?.then((broken) => broken.close()).catch(() => undefined)
      file = undefined
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new AdjutantError(
        "storage_failed",
        `the session store's log ${path} cannot be synced: ${reason}; check the disk and try again`,
        {
          cause,
        },
      )
    }
  }
  const run = (): Promise<void> => {
    running = sync().finally(() => (running = undefined))
    return running
  }
  /** A sync that is already running may have begun before this commit. */
  const after = (before: Promise<void>): Promise<void> => {
    const begin = (): Promise<void> => {
      next = undefined
      return run()
    }
    next = before.then(begin, begin)
    return next
  }

  return {
    /** Resolves when everything that was committed before the call survives a power cut. Rejects with `storage_failed`. */
    synced: () => next ?? (running === undefined ? run() : after(running)),
    close: async () => {
      await Promise.allSettled([running, next])
      await (await file)?.close()
      file = undefined
    },
  }
}
