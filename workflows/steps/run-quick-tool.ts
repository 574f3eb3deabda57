import { isCancellation, TemporalFailure } from "@temporalio/workflow"
import type { AgentActivities, RunToolInput, RunToolResult } from "../../activities/contract/agent-activities.ts"
import { elsewhereOf } from "../../domain/engine/elsewhere.ts"
import type { BatchCall } from "../../domain/calls/tool-batch.ts"
import { quickToolOptions } from "../activity-options.ts"
import type { SessionContext } from "../session/session-context.ts"
import { localActivitiesOf } from "../activities-of.ts"

/**
 * Runs a short read-only call inside the workflow task (docs/decisions/0006). Undefined: it has to be an activity, because it is none of those,
 * belongs to another machine, took too long or is not for the worker that has the workflow.
 */
export const runQuickTool = async (
  { state, settings }: SessionContext,
  call: BatchCall,
  input: RunToolInput,
): Promise<RunToolResult | undefined> => {
  if (call.quick !== true || settings === null || settings.timing.quickToolMs === 0 || state.machine != null)
    return undefined
  const { runTool } = localActivitiesOf<Pick<AgentActivities, "runTool">>(quickToolOptions(settings.timing))
  try {
    const result = await runTool(input)
    return elsewhereOf(result) === undefined ? result : undefined
  } catch (error) {
    // In a replay, a try that ran out of time fails with the timeout itself.
    if (isCancellation(error) || !(error instanceof TemporalFailure)) throw error
    return undefined
  }
}
