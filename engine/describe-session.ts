import type { WorkflowExecutionDescription } from "@temporalio/client"
import { sessionWorkflowId } from "../domain/engine/engine-names.ts"
import type { ExecutionFacts } from "../domain/engine/missing-sessions.ts"
import type { EngineStatus } from "../domain/engine/reconcile-decision.ts"
import { callEngine } from "./call-engine.ts"
import type { EngineContext } from "./engine-context.ts"
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

/** The session's latest execution. */
export const describeExecution = async (context: EngineContext, sessionId: string): Promise<ExecutionFacts> => {
  const handle = context.temporal.workflow.getHandle(sessionWorkflowId(sessionId))
  try {
    const { status, closeTime } = await callEngine(context, () => handle.describe())
    return { status: engineStatusOf(status.name), closedAtMs: closeTime?.getTime() ?? null }
  } catch (error) {
    if (isExecutionGone(error)) return { status: "not_found", closedAtMs: null }
    throw error
  }
}

/** What the engine says of the session's latest execution. */
export const describeSession = async (context: EngineContext, sessionId: string): Promise<EngineStatus> =>
  (await describeExecution(context, sessionId)).status

/** The same for a doubt that has to be settled soon: undefined where the engine does not answer. */
export const describeSoon = async (context: EngineContext, sessionId: string): Promise<EngineStatus | undefined> => {
  try {
    return await describeSession(withShortDeadline(context), sessionId)
  } catch {
    return undefined
  }
}

/** For requests whose answer is welcome, but not needed. */
export const withShortDeadline = <Context extends EngineContext>(context: Context): Context => ({
  ...context,
  timing: { ...context.timing, engineTimeoutMs: context.timing.engineTimeoutMs / 5 },
})
