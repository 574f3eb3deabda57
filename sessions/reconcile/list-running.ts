import { describeExecution } from "../../engine/describe-execution.ts"
import type { EngineClient } from "../../engine/engine-client.ts"

/** An open execution as the engine lists it. */
export interface RunningExecution {
  readonly runId: string
  /** The execution that started it as a child; null where none did. */
  readonly parent: { readonly workflowId: string; readonly runId: string } | null
}

export interface ListClient {
  readonly workflow: EngineClient["workflow"] & {
    list(options: { readonly query: string; readonly pageSize?: number }): AsyncIterable<{
      readonly workflowId: string
      readonly runId: string
      readonly parentExecution?: { readonly workflowId?: string | null; readonly runId?: string | null } | null
    }>
  }
}

/** Up to this many executions are described: the engine's lists follow a moment later. */
const fewEnough = 25
const maxPageSize = 1_000
const quotable = /^[\w./@:-]+$/

const parentOf = (workflowId: string, runId: string): RunningExecution["parent"] =>
  workflowId === "" ? null : { workflowId, runId }

const describeAll = async (
  temporal: ListClient,
  workflowIds: readonly string[],
): Promise<ReadonlyMap<string, RunningExecution>> => {
  const running = new Map<string, RunningExecution>()
  await Promise.all(
    workflowIds.map(async (workflowId) => {
      const execution = await describeExecution(temporal, workflowId)
      if (execution?.status !== "running") return
      const { runId, parentWorkflowId, parentRunId } = execution
      running.set(workflowId, { runId, parent: parentOf(parentWorkflowId ?? "", parentRunId ?? "") })
    }),
  )
  return running
}

/**
 * Returns those of the workflows that have an open execution. Many are listed with one request: then an execution that has just started can be absent,
 * and one that has just closed can still be there. Rejects with the error of gRPC where the engine does not answer.
 */
export const listRunning = async (
  temporal: ListClient,
  workflowIds: readonly string[],
): Promise<ReadonlyMap<string, RunningExecution>> => {
  if (workflowIds.length <= fewEnough) return await describeAll(temporal, workflowIds)
  const quoted = workflowIds.filter((id) => quotable.test(id)).map((id) => `"${id}"`)
  const query = `WorkflowId IN (${quoted.join(", ")}) AND ExecutionStatus = "Running"`
  const running = new Map<string, RunningExecution>()
  for await (const { workflowId, runId, parentExecution } of temporal.workflow.list({ query, pageSize: maxPageSize }))
    running.set(workflowId, {
      runId,
      parent: parentOf(parentExecution?.workflowId ?? "", parentExecution?.runId ?? ""),
    })
  return running
}
