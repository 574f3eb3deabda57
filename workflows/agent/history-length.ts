import { workflowInfo } from "@temporalio/workflow"
import type { SessionContext } from "./session-context.ts"

/** True when this execution should be followed by a fresh one: the engine suggests it, or a configured number of events is there. */
export const historyIsLong = (context: SessionContext): boolean => {
  const limit = context.settings?.timing.continueAsNewAfterEvents ?? 0
  const info = workflowInfo()
  return limit > 0 ? info.historyLength >= limit : info.continueAsNewSuggested
}
