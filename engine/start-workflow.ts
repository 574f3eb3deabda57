import { WorkflowExecutionAlreadyStartedError } from "@temporalio/client"
import type { WorkflowType } from "../domain/engine/engine-names.ts"
import type { EngineStatus } from "../domain/engine/reconcile-decision.ts"
import type { LlmAgentInput } from "../domain/run/agent-input.ts"
import { agentStartOptions, type ShownSession } from "./session-start-options.ts"
import { callEngine } from "./call-engine.ts"
import type { EngineContext } from "./engine-context.ts"
import { describeSoon } from "./describe-session.ts"
import { isTemporalUnavailable } from "./translate-temporal-error.ts"

const hasExecution = (engine: EngineStatus | undefined): boolean => engine !== undefined && engine !== "not_found"

/** Starts a session's first execution. True when the engine has it, false when it remembers the id. An answer that got lost is settled by asking. */
export const startWorkflow = async (
  context: EngineContext,
  session: ShownSession,
  start: { readonly workflowType: WorkflowType; readonly input: LlmAgentInput },
): Promise<boolean> => {
  const options = {
    ...agentStartOptions(context, session, start.input),
    workflowIdReusePolicy: "REJECT_DUPLICATE",
    workflowIdConflictPolicy: "FAIL",
  } as const
  try {
    await callEngine(context, async (attempt) => {
      try {
        await context.temporal.workflow.start(start.workflowType, options)
      } catch (error) {
        if (attempt > 1 && error instanceof WorkflowExecutionAlreadyStartedError) return
        throw error
      }
    })
    return true
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false
    if (isTemporalUnavailable(error) && hasExecution(await describeSoon(context, session.id))) return true
    throw error
  }
}
