import { WorkflowNotFoundError } from "@temporalio/client"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { BindingActivities } from "../contract/binding-activities.ts"

/** Parent first; whoever runs no more hands on to the next one above. */
export const createReportRun =
  ({ store, temporal }: Pick<AgentDependencies, "store" | "temporal">): BindingActivities["reportRun"] =>
  async ({ sessionId, runId }) => {
    let above = (await store.sessions.get(sessionId))?.parentId ?? null
    while (above !== null) {
      try {
        await temporal.workflow
          .getHandle(sessionWorkflowId(above))
          .signal("child", { id: sessionId, status: "ended", run_id: runId })
        return
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error
      }
      above = (await store.sessions.get(above))?.parentId ?? null
    }
  }
