import { workflowInfo } from "@temporalio/workflow"

/** Returns whether this execution should be followed by a fresh one: it has so many events or, where the limit is 0, the engine suggests it. */
export const isHistoryLong = (limit: number): boolean => {
  const info = workflowInfo()
  return limit > 0 ? info.historyLength >= limit : info.continueAsNewSuggested
}

/** Far below the engine's limit of 51,200 events: what is open must be able to end. */
const defaultMaxEvents = 30_000

/** Far below the engine's limit of 50 MiB: decisions with large results, while a sub-agent keeps it from continuing as new, are few and long. */
const maxBytes = 30 * 1024 ** 2

/** Returns whether this execution must start nothing that it can do without. `maxEvents`: the limit of its run, if it has been opened. */
export const isHistoryFull = (maxEvents: number | undefined): boolean => {
  const { historyLength, historySize } = workflowInfo()
  return historyLength >= (maxEvents ?? defaultMaxEvents) || historySize >= maxBytes
}
