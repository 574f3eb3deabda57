import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { deleteExecutions } from "../../engine/delete-executions.ts"
import { tryDescribeExecution } from "../../engine/describe-execution.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** Finishes deletions that were cut short: what still runs is cancelled, what has ended loses its texts here and in the engine. */
export const eraseDeletedSessions = async ({
  store,
  temporal,
  logger,
}: Pick<AgentDependencies, "store" | "temporal" | "logger">): Promise<number> => {
  let erased = 0
  for (const id of await store.sessions.listUnerased()) {
    const execution = await tryDescribeExecution(temporal, sessionWorkflowId(id))
    if (execution === undefined) continue
    if (execution.status === "running") {
      await temporal.workflow.getHandle(sessionWorkflowId(id)).cancel()
      continue
    }
    await store.sessions.erase(id)
    erased += 1
    await deleteExecutions(temporal, id, (call) => call()).catch((error: unknown) =>
      logger.warn(
        { err: error, session_id: id },
        "Temporal keeps traces of a deleted session until its retention ends",
      ),
    )
  }
  return erased
}
