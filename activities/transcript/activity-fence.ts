import { activityInfo, asyncLocalStorage } from "@temporalio/activity"
import type { Fence, WritableStore } from "../../store/store.ts"

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

/** Patches a run and its session, unless the run has ended since the activity was scheduled: an abandoned attempt can come late. */
export const patchOwnRun = (
  { runs }: Pick<WritableStore, "runs">,
  patch: Parameters<WritableStore["runs"]["patchWithSession"]>[0],
): Promise<boolean> =>
  runs.patchWithSession({ since: asyncLocalStorage.getStore()?.info.scheduledTimestampMs, ...patch })
