import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { assertNever } from "../assert-never.ts"

/** Workflow types, as registered in Temporal. */
export type WorkflowType = "llmAgent" | "binaryAgent" | "mcpBridgeAgent" | "lane" | "delivery" | "reconcile"

/**
 * The name of a flag in the global scope of workflows. A worker that encrypts payloads sets it before it loads the bundle: the texts of errors are then
 * part of a payload.
 */
export const encodesFailures = "adjutantEncodesFailures"

export const sessionWorkflowId = (sessionId: string): string => `subagent/${sessionId}`

/** Returns the session of a workflow id; undefined for any other workflow. */
export const sessionIdOf = (workflowId: string): string | undefined =>
  workflowId.startsWith("subagent/") ? workflowId.slice("subagent/".length) : undefined

export const taskQueueOf = (storeId: string): string => `adjutant-${storeId}`

/** Returns the queue for the activities of one workspace, such as the worker that `adjutant run` starts. */
export const workspaceQueueOf = (taskQueue: string, workspace: string): string => `${taskQueue}@${workspace}`

/** Returns the queue for the activities that run on one machine, because it has the working directory of their session. */
export const machineQueueOf = (taskQueue: string, machine: string): string =>
  workspaceQueueOf(taskQueue, `machine-${machine}`)

/** Returns the workflow id of a delivery. Its key is also the message id that the receiver gets. */
export const deliveryWorkflowId = (key: string): string => `delivery/${key}`

/** Returns the workflow id of the lane for all sub-agents of one store. */
export const laneWorkflowId = (taskQueue: string): string => `lane/${taskQueue}`

/** Returns the workflow type of an execution type. */
export const agentWorkflowType = (type: RunSnapshot["type"]): WorkflowType => {
  switch (type) {
    case "llm":
      return "llmAgent"
    case "binary":
      return "binaryAgent"
    case "mcp-bridge":
      return "mcpBridgeAgent"
    default:
      return assertNever(type)
  }
}

/** The type of the failure by which a worker hands back a call that has waited for a slot and has not begun. Its detail says since when. */
export const workerBusy = "worker_busy"
