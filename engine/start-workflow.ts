import { WorkflowExecutionAlreadyStartedError } from "@temporalio/client"
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import { agentWorkflowType, sessionWorkflowId } from "../domain/engine/engine-names.ts"
import type { ShownSession } from "../domain/engine/shown-session.ts"
import { agentInput, agentStartOptions, type RunStart } from "./session-start-options.ts"
import { callEngine } from "./call-engine.ts"
import type { EngineContext } from "./engine-context.ts"
import { knowsSession, tryDescribeExecution, withShortDeadline } from "./describe-execution.ts"
import { isTemporalUnavailable } from "./translate-temporal-error.ts"

/** Returns whether the session has an execution, in any state; false if the engine does not answer soon. */
const hasExecution = async (context: EngineContext, sessionId: string): Promise<boolean> => {
  try {
    return await callEngine(withShortDeadline(context), () => knowsSession(context.temporal, sessionId))
  } catch {
    return false
  }
}

const runIdOf = (handle: unknown): unknown =>
  typeof handle === "object" && handle !== null ? Reflect.get(handle, "firstExecutionRunId") : undefined

/**
 * Ends what was started in an engine that the store does not belong to, and rethrows its mismatch. If that engine does not have it, it was started in the
 * right one, right before the server was replaced.
 */
const withdraw = async (
  { temporal }: EngineContext,
  workflowId: string,
  { handle, mismatch }: { readonly handle: unknown; readonly mismatch: unknown },
): Promise<void> => {
  const execution = await tryDescribeExecution(temporal, workflowId)
  if (execution !== undefined && execution.runId !== runIdOf(handle)) return
  await temporal.workflow.getHandle(workflowId).terminate("started in a Temporal that its store does not belong to")
  throw mismatch
}

/** Starts a session's first execution. Returns true if the engine has it, false if the id was used before. If the answer is lost, asks the engine. */
export const startWorkflow = async (
  context: EngineContext,
  session: ShownSession,
  start: RunStart,
): Promise<boolean> => {
  const { temporal, engine } = context
  const options = {
    ...agentStartOptions(context, session, agentInput(context, session.id, start)),
    workflowIdReusePolicy: "REJECT_DUPLICATE",
    workflowIdConflictPolicy: "FAIL",
  } as const
  const startOnce = async (attempt: number): Promise<void> => {
    await engine.verifyIfReconnected()
    const handle = await temporal.workflow.start(agentWorkflowType(start.type), options).catch((error: unknown) => {
      if (attempt === 1 || !(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
    })
    try {
      await engine.verifyIfReconnected()
    } catch (error) {
      if (!isAdjutantError(error) || error.code !== "engine_mismatch" || handle === undefined) throw error
      await withdraw(context, sessionWorkflowId(session.id), { handle, mismatch: error })
    }
  }
  try {
    await callEngine(context, startOnce)
    return true
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false
    if (isTemporalUnavailable(error) && (await hasExecution(context, session.id))) return true
    throw error
  }
}
