import { activityInfo } from "@temporalio/activity"
import type { RecordActivities } from "./agent-activities.ts"
import type { AgentDependencies } from "./agent-dependencies.ts"

const operatorSignals: ReadonlySet<string> = new Set(["approve", "reject", "input", "steer"])

/** Signal handlers do not see who sent a signal, but history does: every operator's signal of this execution gets its audit row once. */
export const createAuditOperatorSignals =
  ({ store, temporal }: Pick<AgentDependencies, "store" | "temporal">): RecordActivities["auditOperatorSignals"] =>
  async ({ sessionId, runId }) => {
    const { workflowId, runId: executionId } = requireExecution()
    const history = await temporal.workflow.getHandle(workflowId, executionId).fetchHistory()
    for (const event of history.events ?? []) {
      const signal = event.workflowExecutionSignaledEventAttributes
      if (signal?.signalName == null || !operatorSignals.has(signal.signalName)) continue
      await store.audit.record({
        key: `${executionId}:${String(event.eventId)}`,
        sessionId,
        runId,
        action: signal.signalName,
        by: signal.identity ?? "unknown",
        via: "temporal",
        detail: {},
      })
    }
  }

const requireExecution = (): { readonly workflowId: string; readonly runId: string } => {
  const execution = activityInfo().workflowExecution
  if (execution === undefined) throw new Error("this activity belongs to a workflow")
  return execution
}
