import { WorkflowExecutionAlreadyStartedError } from "@temporalio/client"
import { agentWorkflowType } from "../domain/engine/engine-names.ts"
import type { ShownSession } from "../domain/engine/shown-session.ts"
import { agentInput, agentStartOptions, type RunStart } from "./session-start-options.ts"
import { callEngine } from "./call-engine.ts"
import type { EngineContext } from "./engine-context.ts"
import { knowsSession, withShortDeadline } from "./describe-execution.ts"
import { isTemporalUnavailable } from "./translate-temporal-error.ts"

/** Returns whether the session has an execution, in any state; false if the engine does not answer soon. */
const hasExecution = async (context: EngineContext, sessionId: string): Promise<boolean> => {
  try {
    return await callEngine(withShortDeadline(context), () => knowsSession(context.temporal, sessionId))
  } catch {
    return false
  }
}

/** Starts a session's first execution. Returns true if the engine has it, false if the id was used before. If the answer is lost, asks the engine. */
export const startWorkflow = async (
  context: EngineContext,
  session: ShownSession,
  start: RunStart,
): Promise<boolean> => {
  const options = {
    ...agentStartOptions(context, session, agentInput(context, session.id, start)),
    workflowIdReusePolicy: "REJECT_DUPLICATE",
    workflowIdConflictPolicy: "FAIL",
  } as const
  try {
    await callEngine(context, async (attempt) => {
      try {
        await context.temporal.workflow.start(agentWorkflowType(start.type), options)
      } catch (error) {
        if (attempt > 1 && error instanceof WorkflowExecutionAlreadyStartedError) return
        throw error
      }
    })
    return true
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false
    if (isTemporalUnavailable(error) && (await hasExecution(context, session.id))) return true
    throw error
  }
}
