import { setTimeout as delay } from "node:timers/promises"
import { WorkflowNotFoundError } from "@temporalio/client"
import type { EngineContext } from "./engine-context.ts"
import { isTransientEngineError, translateTemporalError } from "./translate-temporal-error.ts"

const firstRetryMs = 50
const longestRetryMs = 1_000

/**
 * Sends one request to Temporal, and retries it until the deadline while the server is unavailable. `attempt` counts from 1: from the second on, an
 * earlier one may have taken effect. That an execution is not found counts only from the engine that the store belongs to.
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
      if (error instanceof WorkflowNotFoundError) await context.engine.verify(timeoutMs)
      if (!isTransientEngineError(error) || Date.now() + waitMs >= deadline) throw translateTemporalError(error)
      await delay(waitMs)
    }
  }
}

/**
 * As `callEngine`, for a request that a worker has to carry out: without one, it would rest in Temporal. Every use case sends such a request after its
 * checks, so what is refused starts no worker.
 * @throws AdjutantError why no worker is running, `temporal_unavailable`, `engine_mismatch`
 */
export const requestWork = async <T>(
  context: Pick<EngineContext, "temporal" | "timing" | "engine" | "requireWorker">,
  call: (attempt: number) => Promise<T>,
  timeoutMs?: number,
): Promise<T> => {
  await context.requireWorker?.()
  return await callEngine(context, call, timeoutMs)
}
