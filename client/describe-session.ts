import type { WorkflowExecutionDescription } from "@temporalio/client"
import { sessionWorkflowId } from "../domain/engine-names.ts"
import type { EngineStatus } from "../domain/reconcile-decision.ts"
import { callEngine } from "./call-engine.ts"
import type { ClientContext } from "./client-context.ts"
import { isExecutionGone } from "./translate-temporal-error.ts"

const engineStatusOf = (name: WorkflowExecutionDescription["status"]["name"]): EngineStatus => {
  switch (name) {
    case "COMPLETED":
      return "completed"
    case "FAILED":
      return "failed"
    case "CANCELLED":
      return "cancelled"
    case "TERMINATED":
      return "terminated"
    case "TIMED_OUT":
      return "timed_out"
    case "RUNNING":
    case "PAUSED":
    case "CONTINUED_AS_NEW":
    case "UNSPECIFIED":
    case "UNKNOWN":
      return "running"
  }
}

/** What the engine says of the session's latest execution. */
export const describeSession = async (context: ClientContext, sessionId: string): Promise<EngineStatus> => {
  const handle = context.temporal.workflow.getHandle(sessionWorkflowId(sessionId))
  try {
    const { status } = await callEngine(context, () => handle.describe())
    return engineStatusOf(status.name)
  } catch (error) {
    if (isExecutionGone(error)) return "not_found"
    throw error
  }
}

/** The same for a doubt that has to be settled soon: undefined where the engine does not answer. */
export const describeSoon = async (context: ClientContext, sessionId: string): Promise<EngineStatus | undefined> => {
  try {
    return await describeSession(withShortDeadline(context), sessionId)
  } catch {
    return undefined
  }
}

/** For requests whose answer is welcome, but not needed. */
export const withShortDeadline = (context: ClientContext): ClientContext => ({
  ...context,
  timing: { ...context.timing, engineTimeoutMs: context.timing.engineTimeoutMs / 5 },
})
