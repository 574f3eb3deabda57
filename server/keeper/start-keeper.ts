import { appendFileSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { KeeperOptions } from "./keeper-settings.ts"
import { isAlive } from "../process/process-identity.ts"
import { readWhole, serverFiles } from "../process/server-files.ts"
import { isServerRecord, keeperOf, type ServerRecord } from "./server-record.ts"
import { startFailure } from "./start-failure.ts"

/** Returns the server that is ready and that a live process keeps; undefined if there is none. */
export const liveRecord = (dataDir: string): ServerRecord | undefined => {
  const record = readWhole(serverFiles(dataDir).record, isServerRecord)
  return record !== undefined && isAlive(keeperOf(record)) ? record : undefined
}

export interface KeeperWait {
  /** Called repeatedly during the wait. */
  readonly onWait?: () => void
  readonly signal?: AbortSignal | undefined
}

/** What a user of a server does for it. */
export interface Keeper {
  /**
   * Keeps the server in this process from now on, unless another one does, and waits until it is ready.
   * @throws AdjutantError `temporal_unavailable` if the server cannot be started
   */
  start(keeper: KeeperOptions, wait?: KeeperWait): Promise<void>
  /** Becomes the keeper when the present one is gone: adopts the server if it still runs, or starts it again. */
  watch(keeper: KeeperOptions, onTrouble: (error: unknown) => void): void
  /** Ends what this process does. The server ends with its last user. */
  stop(): Promise<void>
}

const logFailure = (dataDir: string, error: unknown): void => {
  try {
    const line = { level: "ERROR", msg: `keeper: ${errorMessage(error)}` }
    appendFileSync(serverFiles(dataDir).log, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  } catch {
    // The directory was removed.
  }
}

const watchEveryMs = 500

export const createKeeper = (): Keeper => {
  const stopping = new AbortController()
  let keeping: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined

  /** Resolves when this process is no longer the keeper; false if keeping the server failed. */
  const keep = async (options: KeeperOptions): Promise<boolean> => {
    try {
      // Loaded here: a process that only looks for a server starts without it.
      const { keepServer } = await import("./keep-server.ts")
      await keepServer(options, stopping.signal)
      return true
    } catch (error) {
      if (stopping.signal.aborted) return true
      logFailure(options.dataDir, error)
      return false
    }
  }
  const start: Keeper["start"] = async (options, { onWait, signal } = {}) => {
    const { dataDir } = options
    const end: { isGood?: boolean } = {}
    keeping ??= keep(options).finally(() => (keeping = undefined))
    void keeping.then((isGood) => (end.isGood = isGood))
    while (liveRecord(dataDir) === undefined && end.isGood === undefined) {
      onWait?.()
      await delay(20, undefined, { signal })
    }
    if (end.isGood === false) throw startFailure(dataDir)
  }
  return {
    start,
    watch: (options, onTrouble) => {
      timer = setInterval(() => {
        if (keeping === undefined && liveRecord(options.dataDir) === undefined) start(options).catch(onTrouble)
      }, watchEveryMs)
      timer.unref()
    },
    stop: async () => {
      clearInterval(timer)
      stopping.abort()
      await keeping
    },
  }
}
