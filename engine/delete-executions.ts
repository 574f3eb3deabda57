import type { TemporalClient } from "./temporal-client.ts"
import { isNotFound } from "./translate-temporal-error.ts"

export interface DeleteClient {
  readonly options: TemporalClient["options"]
  readonly workflowService: Pick<TemporalClient["workflowService"], "deleteWorkflowExecution">
  readonly workflow: Pick<TemporalClient["workflow"], "list">
}

/**
 * Deletes the executions of a workflow from the engine: the latest by its id alone, since lists are updated with a delay, then the earlier ones that are listed.
 * `request` sends one request.
 */
export const deleteExecutions = async (
  temporal: DeleteClient,
  workflowId: string,
  request: <T>(call: () => Promise<T>) => Promise<T>,
): Promise<void> => {
  const { namespace } = temporal.options
  const remove = async (runId: string): Promise<void> => {
    try {
      await request(() =>
        temporal.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } }),
      )
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  await remove("")
  for await (const { runId } of temporal.workflow.list({ query: `WorkflowId = "${workflowId}"` })) await remove(runId)
}
