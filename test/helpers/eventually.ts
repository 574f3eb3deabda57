import { setTimeout as delay } from "node:timers/promises"

/**
 * Waits until the condition is true; throws after `timeoutMs`. Most conditions query the engine, so the
 * interval between checks grows.
 */
export const eventually = async (
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 60_000, everyMs = 100 } = {},
): Promise<void> => {
  const deadline = performance.now() + timeoutMs
  for (let waitMs = 5; !(await condition()); waitMs = Math.min(waitMs * 2, everyMs)) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition.toString()}`)
    await delay(waitMs)
  }
}
