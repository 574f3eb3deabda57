import { WorkflowNotFoundError } from "@temporalio/client"
import { sessionWorkflowId } from "../domain/engine/engine-names.ts"
import type { EngineClient } from "./engine-client.ts"

/** Whether the engine has, or remembers, an execution of the session. */
export const knowsSession = async (temporal: Pick<EngineClient, "workflow">, sessionId: string): Promise<boolean> => {
  try {
    await temporal.workflow.getHandle(sessionWorkflowId(sessionId)).describe()
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

const atOnce = 10

/** How many of the sessions the engine knows; looks at no more than it takes to find `enough` of them. */
export const countKnown = async (
  temporal: Pick<EngineClient, "workflow">,
  sessionIds: readonly string[],
  enough = Number.POSITIVE_INFINITY,
): Promise<number> => {
  let known = 0
  for (let start = 0; start < sessionIds.length && known < enough; start += atOnce) {
    const found = await Promise.all(
      sessionIds.slice(start, start + atOnce).map((sessionId) => knowsSession(temporal, sessionId)),
    )
    known += found.filter(Boolean).length
  }
  return known
}
