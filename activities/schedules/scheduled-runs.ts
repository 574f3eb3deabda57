import { ApplicationFailure } from "@temporalio/activity"
import { WorkflowNotFoundError } from "@temporalio/client"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { isOutage } from "../../domain/engine/outage-policy.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { ScheduleActivities } from "../contract/schedule-activities.ts"

/** Creates the activities of schedules. Only a worker with the configuration of a project starts tasks by itself. */
export const createScheduleActivities = ({
  store,
  temporal,
  startScheduled,
}: Pick<AgentDependencies, "store" | "temporal" | "startScheduled">): ScheduleActivities => ({
  startScheduled: async (due) => {
    if (startScheduled === undefined)
      throw ApplicationFailure.nonRetryable("this worker starts no tasks by itself", "runs_elsewhere")
    try {
      return await startScheduled(due)
    } catch (error) {
      // Nothing changes by itself what the configuration lacks: the failure of the workflow says it.
      if (isAdjutantError(error) && !isOutage(error)) throw ApplicationFailure.nonRetryable(error.message, error.code)
      throw error
    }
  },
  hasScheduledEnded: async ({ sessionId, runId }) => {
    const [session, run] = await Promise.all([store.sessions.get(sessionId), store.runs.get(runId)])
    if (session === undefined || run === undefined) return true
    return isFinal(run.status) && run.status !== "completed" && run.status !== "cancelled"
      ? "failed"
      : isFinal(run.status)
  },
  cancelScheduled: async ({ sessionId }) => {
    try {
      await temporal.workflow.getHandle(sessionWorkflowId(sessionId)).cancel()
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error
    }
  },
})
