import { WorkflowExecutionAlreadyStartedError } from "@temporalio/client"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { agentWorkflowType, sessionWorkflowId } from "../domain/engine/engine-names.ts"
import type { ShownSession } from "../domain/engine/shown-session.ts"
import { agentInput, agentStartOptions, type RunStart } from "./session-start-options.ts"
import { callEngine, requestWork } from "./call-engine.ts"
import type { EngineContext } from "./engine-context.ts"
import { isEngineMismatch } from "./engine-guard.ts"
import { knowsSession, tryDescribeExecution, withShortDeadline } from "./describe-execution.ts"
import { isStillAnother, withdrawnReason } from "./start-verified.ts"
import { isTemporalUnavailable } from "./translate-temporal-error.ts"

/** Returns whether the session has an execution, in any state; false if the engine does not answer soon. */
const hasExecution = async (context: EngineContext, sessionId: string): Promise<boolean> => {
  try {
    return await callEngine(withShortDeadline(context), () => knowsSession(context.temporal, sessionId))
  } catch {
    return false
  }
}

/** Another engine answers now than the one that may have started the session: when that one is back, the session may be there. */
export class UncertainStart extends AdjutantError {}

const uncertain = (sessionId: string, cause: AdjutantError): UncertainStart =>
  new UncertainStart(
    cause.code,
    `${cause.message}; session ${sessionId} may have started before: run "adjutant info ${sessionId}" when its Temporal is back`,
    { cause },
  )

const runIdOf = (handle: unknown): unknown =>
  typeof handle === "object" && handle !== null ? Reflect.get(handle, "firstExecutionRunId") : undefined

/**
 * Ends what was started in an engine that the store does not belong to. Returns false if that engine does not have it: it was started in the right one,
 * right before the server was replaced.
 */
const withdraw = async ({ temporal }: EngineContext, workflowId: string, handle: unknown): Promise<boolean> => {
  const execution = await tryDescribeExecution(temporal, workflowId)
  if (execution !== undefined && execution.runId !== runIdOf(handle)) return false
  await temporal.workflow.getHandle(workflowId).terminate(withdrawnReason)
  return true
}

/**
 * `started`: by this call. `exists`: the id was used before. `unknown`: an answer was lost, and the engine has an execution, which another call may have
 * started at the same time.
 */
export type StartAnswer = "started" | "exists" | "unknown"

/**
 * Starts a session's first execution. If the answer is lost, asks the engine whether it has one.
 * @throws UncertainStart if the engine was replaced meanwhile; AdjutantError
 */
export const startWorkflow = async (
  context: EngineContext,
  session: ShownSession,
  start: RunStart,
): Promise<StartAnswer> => {
  const { temporal, engine } = context
  const options = {
    ...agentStartOptions(context, session, agentInput(context, session.id, start)),
    workflowIdReusePolicy: "REJECT_DUPLICATE",
    workflowIdConflictPolicy: "FAIL",
  } as const
  let mayHaveStarted = false
  const startOnce = async (attempt: number): Promise<StartAnswer> => {
    // An earlier attempt may have started it in the right engine.
    if (attempt > 1) await engine.verify()
    mayHaveStarted = true
    let answer: StartAnswer = "started"
    const handle = await temporal.workflow.start(agentWorkflowType(start.type), options).catch((error: unknown) => {
      if (attempt === 1 || !(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      answer = "unknown"
    })
    try {
      await engine.verify()
      return answer
    } catch (error) {
      if (!isEngineMismatch(error) || handle === undefined) throw error
      const isWithdrawn = await withdraw(context, sessionWorkflowId(session.id), handle)
      if (!isWithdrawn && (await isStillAnother(engine))) return "started"
      mayHaveStarted = attempt > 1
      throw error
    }
  }
  try {
    return await requestWork(context, startOnce)
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return "exists"
    if (isTemporalUnavailable(error) && (await hasExecution(context, session.id))) return "unknown"
    throw isEngineMismatch(error) && mayHaveStarted ? uncertain(session.id, error) : error
  }
}
