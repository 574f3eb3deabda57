import type { Client } from "@temporalio/client"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { type Execution, tryDescribeExecution } from "../../engine/describe-execution.ts"

/** Asks for each parent once per pass. */
export type ParentLookup = (workflowId: string) => Promise<Execution | undefined>

export const createParentLookup = (temporal: Client): ParentLookup => {
  const asked = new Map<string, Promise<Execution | undefined>>()
  return (workflowId) => {
    const known = asked.get(workflowId) ?? tryDescribeExecution(temporal, workflowId)
    asked.set(workflowId, known)
    return known
  }
}

/**
 * True for an open child that no execution of its parent counts among its children: the parent was reset to a step before the spawn, or is gone
 * without having cancelled it.
 */
export const isOrphan = async (workflowId: string, child: Execution, parentOf: ParentLookup): Promise<boolean> => {
  if (child.status !== "running" || child.parentWorkflowId === null) return false
  const parent = await parentOf(child.parentWorkflowId)
  if (parent === undefined) return false
  const started = parent.status === "running" ? parent.children.get(workflowId) : undefined
  return started === undefined || (started !== "" && started !== child.runId)
}

/** Cancels a child whose parent's run is gone. Answers whether it did. */
export const stopOrphan = async (
  temporal: Client,
  sessionId: string,
  found: { readonly child: Execution; readonly parentOf: ParentLookup },
): Promise<boolean> => {
  const workflowId = sessionWorkflowId(sessionId)
  if (!(await isOrphan(workflowId, found.child, found.parentOf))) return false
  await temporal.workflow.getHandle(workflowId, found.child.runId).cancel()
  return true
}
