import { setTimeout as delay } from "node:timers/promises"
import { tryLock } from "../process/exclusive-lock.ts"
import type { KeeperOptions } from "./keeper-options.ts"
import { isAlive } from "../process/process-identity.ts"
import { readWhole, serverFiles } from "../process/server-files.ts"
import { isServerRecord, keeperOf, type ServerRecord } from "./server-record.ts"
import { spawnKeeper } from "./spawn-keeper.ts"
import { startFailure } from "../start-failure.ts"

export interface KeeperStart {
  readonly keeper: KeeperOptions
  readonly env: NodeJS.ProcessEnv
  /** Called repeatedly during the wait. */
  readonly onWait?: () => void
  readonly signal?: AbortSignal
}

/** Returns the server that is ready and has a live keeper; undefined if there is none. */
export const liveRecord = (dataDir: string): ServerRecord | undefined => {
  const record = readWhole(serverFiles(dataDir).record, isServerRecord)
  return record !== undefined && isAlive(keeperOf(record)) ? record : undefined
}

/**
 * Starts a keeper and waits until its server is ready. Returns at once if another process is starting one. Throws AdjutantError
 * `temporal_unavailable` if the server cannot be started.
 */
export const startKeeper = async ({ keeper, env, onWait, signal }: KeeperStart): Promise<void> => {
  const files = serverFiles(keeper.dataDir)
  const lock = tryLock(files.startLock)
  if (lock === undefined) return
  try {
    if (liveRecord(keeper.dataDir) !== undefined) return
    const keeperEnd: { isGood?: boolean } = {}
    void spawnKeeper(keeper, env).then((isGood) => {
      keeperEnd.isGood = isGood
    })
    while (liveRecord(keeper.dataDir) === undefined && keeperEnd.isGood === undefined) {
      onWait?.()
      await delay(20, undefined, { signal })
    }
    if (keeperEnd.isGood === false) throw startFailure(keeper.dataDir)
  } finally {
    lock.release()
  }
}
