import { setTimeout as delay } from "node:timers/promises"

/** Waits until the condition holds; throws when it has not for so long. */
export const eventually = async (
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 20_000, everyMs = 20 } = {},
): Promise<void> => {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition.toString()}`)
    await delay(everyMs)
  }
}
