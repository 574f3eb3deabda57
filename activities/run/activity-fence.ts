import { activityInfo } from "@temporalio/activity"
import type { Fence } from "../../store/store.ts"

const attemptsPerMs = 1_000

/** Orders the attempts of all activities: a later schedule wins, then a later attempt (attempts start again at 1 after a reset). */
export const activityFence = (): Fence => {
  const info = activityInfo()
  return info.scheduledTimestampMs * attemptsPerMs + Math.min(info.attempt, attemptsPerMs - 1)
}

/** Returns the fence of the current activity's first attempt; no attempt of it has a lower one. */
export const firstFence = (): Fence => activityInfo().scheduledTimestampMs * attemptsPerMs

/** Returns true if a row was written by an attempt of the current activity. */
export const isOwnRow = (fence: Fence): boolean =>
  Math.floor(fence / attemptsPerMs) === activityInfo().scheduledTimestampMs
