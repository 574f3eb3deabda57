import { isAdjutantError } from "../../contracts/adjutant-error.ts"

/**
 * How everything that executes work gets through an outage of the store or the engine:
 * - A record is tried twice inside the workflow task, then as an ordinary activity, so that stuck records do not occupy the task slots of a worker.
 * - A model call, a tool call, a hook or a delivery keeps what it got in memory and repeats only the store call that failed.
 * Neither gives up, and neither uses up the attempts that are meant for a provider, a tool or a receiver.
 */
export const outagePolicy = {
  /** Tries of a record inside the workflow task. */
  triesInTask: 2,
  firstRetryMs: 200,
  backoffCoefficient: 2,
  longestRetryMs: 10_000,
} as const

/**
 * Returns whether store or engine prevented the work: connection lost, disk full, locked, unavailable. Everything else is an error of the work itself, also
 * a row whose JSON is damaged: it remains so, however often it is read.
 */
export const isOutage = (error: unknown): boolean =>
  isAdjutantError(error) &&
  (error.code === "storage_failed" || error.code === "temporal_unavailable") &&
  !(error.cause instanceof SyntaxError)

/** Returns how long to wait after the nth failure in a row, counted from 1. */
export const outageDelayMs = (failures: number): number => {
  const { firstRetryMs, backoffCoefficient, longestRetryMs } = outagePolicy
  return Math.min(longestRetryMs, firstRetryMs * backoffCoefficient ** Math.min(failures - 1, 30))
}
