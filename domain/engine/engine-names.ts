import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { assertNever } from "../assert-never.ts"

/** Names that others see in Temporal itself. */
export type WorkflowType = "llmAgent" | "binaryAgent" | "mcpBridgeAgent" | "lane" | "delivery" | "reconcile"

export const sessionWorkflowId = (sessionId: string): string => `subagent/${sessionId}`

/** The session that a workflow id is of; undefined for any other workflow. */
export const sessionIdOf = (workflowId: string): string | undefined =>
  workflowId.startsWith("subagent/") ? workflowId.slice("subagent/".length) : undefined

export const taskQueueOf = (storeId: string): string => `adjutant-${storeId}`

/** Queue of the activities of one place: the worker that one `adjutant run` brought. */
export const workspaceQueueOf = (taskQueue: string, workspace: string): string => `${taskQueue}@${workspace}`

/** One per announce: its key is also the id that a receiver sees. */
export const deliveryWorkflowId = (key: string): string => `delivery/${key}`

/** The lane of all sub-agents that one store's workers run. */
export const laneWorkflowId = (taskQueue: string): string => `lane/${taskQueue}`

/** Each execution type has a workflow type of its own. */
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
