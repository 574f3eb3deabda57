import type { KeeperOptions } from "./keeper-options.ts"
import { liveRecord, startKeeper } from "./start-keeper.ts"

export interface KeeperWatch {
  /** Stops the watch. A dead keeper is replaced a last time, so that its server still stops after its last user. */
  stop(): Promise<void>
}

export interface KeeperWatchOptions {
  readonly keeper: KeeperOptions
  readonly env: NodeJS.ProcessEnv
  readonly onTrouble: (error: unknown) => void
}

/** Replaces a keeper that dies while this process uses its server. The new one adopts the server or starts it again. */
export const watchKeeper = ({ keeper, env, onTrouble }: KeeperWatchOptions): KeeperWatch => {
  let replacing: Promise<void> | undefined
  const check = (): Promise<void> => {
    if (liveRecord(keeper.dataDir) !== undefined) return Promise.resolve()
    replacing ??= startKeeper({ keeper, env })
      .catch(onTrouble)
      .finally(() => {
        replacing = undefined
      })
    return replacing
  }
  const timer = setInterval(() => void check(), watchEveryMs)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await check()
    },
  }
}

const watchEveryMs = 500
