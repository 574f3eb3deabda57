import { workflowInfo } from "@temporalio/workflow"

/** Returns whether this execution should be followed by a fresh one: it has so many events or, where the limit is 0, the engine suggests it. */
export const isHistoryLong = (limit: number): boolean => {
  const info = workflowInfo()
  return limit > 0 ? info.historyLength >= limit : info.continueAsNewSuggested
}
