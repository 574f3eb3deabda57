import { WorkflowNotFoundError } from "@temporalio/client"
import { type EngineGuard, isEngineMismatch } from "./engine-guard.ts"
import type { HistoryEvent, StartingClient } from "./temporal-client.ts"

export const withdrawnReason = "started in a Temporal that its store does not belong to"

interface VerifiedStart {
  readonly temporal: StartingClient
  readonly engine: Pick<EngineGuard, "verify" | "verifyFromTimeToTime">
}

/** Returns the execution that a signal-with-start reached. */
const signaledRunId = (handle: unknown): string | undefined => {
  const runId: unknown =
    typeof handle === "object" && handle !== null ? Reflect.get(handle, "signaledRunId") : undefined
  return typeof runId === "string" ? runId : undefined
}

/** Whether a signal-with-start began the execution: its signal is the only one, and comes right after the start. One that was open gets it later. */
const beganWithSignal = (events: readonly HistoryEvent[]): boolean => {
  const isSignal = ({ workflowExecutionSignaledEventAttributes: signal }: HistoryEvent) => signal != null
  return events.findIndex(isSignal) === 1 && events.filter(isSignal).length === 1
}

/**
 * Returns whether another engine than the right one still answers: then what it does not have began in the right one. If that one is back, it does not have it,
 * and the other one does.
 */
export const isStillAnother = async (engine: Pick<EngineGuard, "verify">): Promise<boolean> => {
  try {
    await engine.verify()
    return false
  } catch (error) {
    if (!isEngineMismatch(error)) throw error
    return true
  }
}

/**
 * Ends what a signal-with-start began in an engine that the store does not belong to; what was open there stays. Returns false if that engine does not have
 * it: it arrived in the right one, right before the server was replaced.
 */
const withdraw = async ({ temporal, engine }: VerifiedStart, workflowId: string, handle: unknown): Promise<boolean> => {
  const runId = signaledRunId(handle)
  if (runId === undefined) return true
  const execution = temporal.workflow.getHandle(workflowId, runId)
  try {
    const { events } = await execution.fetchHistory()
    if (!beganWithSignal(events ?? [])) return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return !(await isStillAnother(engine))
    throw error
  }
  await execution.terminate(withdrawnReason)
  return true
}

/**
 * Sends a signal-with-start to the engine that the store belongs to. The engine is compared again afterwards, since another one may have got the request:
 * what began there is ended.
 * @throws AdjutantError `engine_mismatch`, `temporal_unavailable`
 */
export const startVerified = async (
  context: VerifiedStart,
  workflowId: string,
  start: () => Promise<unknown>,
): Promise<void> => {
  const { engine } = context
  await engine.verifyFromTimeToTime()
  const handle = await start()
  try {
    await engine.verify()
  } catch (error) {
    if (!isEngineMismatch(error) || (await withdraw(context, workflowId, handle))) throw error
  }
}
