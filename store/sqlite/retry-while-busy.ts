import { setTimeout as sleep } from "node:timers/promises"
import { isBusy } from "./sqlite-error.ts"

const longestPauseMs = 8

/**
 * Retries work that another process's lock prevents, without blocking the event loop between attempts. Rejects with the last error if the database is
 * still locked after `timeoutMs`.
 */
export const retryWhileBusy = async <T>(attempt: () => T | Promise<T>, timeoutMs: number): Promise<T> => {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedAt >= timeoutMs) throw error
    }
    await sleep(Math.ceil(Math.random() * longestPauseMs))
  }
}
