import { setTimeout as delay } from "node:timers/promises"

/** The limits of both only stop a hang: the machine may be slow for many seconds. */
const hangGuardMs = 60_000

/**
 * Waits until the condition is true; throws after `timeoutMs`. Most conditions query the engine, so the
 * interval between checks grows.
 */
export const eventually = async (
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = hangGuardMs, everyMs = 100 } = {},
): Promise<void> => {
  const deadline = performance.now() + timeoutMs
  for (let waitMs = 5; !(await condition()); waitMs = Math.min(waitMs * 2, everyMs)) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition.toString()}`)
    await delay(waitMs)
  }
}

/** Repeats the check until it does not throw, and returns its result; rejects with its last error after `timeoutMs`. */
export const untilPasses = async <T>(
  check: () => T | Promise<T>,
  { timeoutMs = hangGuardMs, everyMs = 50 } = {},
): Promise<T> => {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await delay(everyMs)
  }
}

/** Waits until the clock shows another millisecond: what comes then is later by every record of time. */
export const nextMillisecond = async (): Promise<void> => {
  const now = Date.now()
  await eventually(() => Date.now() > now)
}
