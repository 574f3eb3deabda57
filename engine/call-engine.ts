import { setTimeout as delay } from "node:timers/promises"
import type { EngineContext } from "./engine-context.ts"
import { isTransientEngineError, translateTemporalError } from "./translate-temporal-error.ts"

const firstRetryMs = 50
const longestRetryMs = 1_000

/**
 * Sends one request to Temporal, and retries it until the deadline while the server is unavailable. `attempt` counts from 1: from the second on, an
 * earlier one may have taken effect. Nothing is sent to an engine that the store does not belong to.
 * @throws AdjutantError `temporal_unavailable` when the deadline passes, `engine_mismatch`
 */
export const callEngine = async <T>(
  context: Pick<EngineContext, "temporal" | "timing" | "engine">,
  call: (attempt: number) => Promise<T>,
  timeoutMs: number = context.timing.engineTimeoutMs,
): Promise<T> => {
  const deadline = Date.now() + timeoutMs
  await context.engine.verifyFromTimeToTime(timeoutMs)
  for (let attempt = 1, waitMs = firstRetryMs; ; attempt += 1, waitMs = Math.min(waitMs * 2, longestRetryMs)) {
    try {
      return await context.temporal.withDeadline(deadline, () => call(attempt))
    } catch (error) {
      if (!isTransientEngineError(error) || Date.now() + waitMs >= deadline) throw translateTemporalError(error)
      await delay(waitMs)
    }
  }
}
