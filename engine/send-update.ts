import type { updateNames, UpdateAnswer } from "../domain/session/session-message.ts"
import { sessionWorkflowId } from "../domain/engine/engine-names.ts"
import { callEngine, requestWork } from "./call-engine.ts"
import type { EngineContext } from "./engine-context.ts"
import type { SessionHandle } from "./temporal-client.ts"
import { isExecutionGone, isNotYet, isTemporalUnavailable } from "./translate-temporal-error.ts"
import { takeTurn } from "./update-turns.ts"

/** `signal`: stored durably and confirmed at once, without waiting for a worker. */
export type Delivery = "update" | "signal"

export interface Update {
  readonly sessionId: string
  readonly name: (typeof updateNames)[number]
  /** Idempotency key: the same id is applied once. */
  readonly id: string
  readonly payload: unknown
}

/** `no-answer`: no worker answered in time; the update may still be applied. `gone`: the execution is closed. */
export type UpdateResult =
  | { readonly kind: "applied"; readonly runId: string }
  | { readonly kind: "no-answer" }
  | { readonly kind: "gone" }

/**
 * Sends an update and waits a few seconds for its answer. If too many updates wait already, it is not sent.
 * @throws AdjutantError with the workflow's own code if it refuses the update
 */
export const sendUpdate = async (context: EngineContext, update: Update): Promise<UpdateResult> => {
  const { temporal, timing } = context
  await context.requireWorker?.()
  const handle = temporal.workflow.getHandle(sessionWorkflowId(update.sessionId))
  const endTurn = await takeTurn(temporal, timing.updateTimeoutMs)
  if (endTurn === undefined) return { kind: "no-answer" }
  try {
    const answer = await callEngine(
      context,
      () => handle.executeUpdate<UpdateAnswer, [unknown]>(update.name, { args: [update.payload], updateId: update.id }),
      timing.updateTimeoutMs,
    )
    return { kind: "applied", runId: answer.run_id }
  } catch (error) {
    if (isExecutionGone(error)) return { kind: "gone" }
    if (isTemporalUnavailable(error) || isNotYet(error)) return { kind: "no-answer" }
    throw error
  } finally {
    endTurn()
  }
}

export interface SessionSignal {
  readonly sessionId: string
  readonly name: "inbox" | "decide" | "binding" | "child" | "setModel"
  readonly payload: unknown
}

/** The part of Temporal's client that signals a workflow. */
export interface SignalClient {
  readonly workflow: { getHandle(workflowId: string): Pick<SessionHandle, "signal"> }
}

/** Signals a session, without retries. Returns false if its execution is closed or unknown. */
export const signalSession = async (
  temporal: SignalClient,
  { sessionId, name, payload }: SessionSignal,
): Promise<boolean> => {
  try {
    await temporal.workflow.getHandle(sessionWorkflowId(sessionId)).signal(name, payload)
    return true
  } catch (error) {
    if (isExecutionGone(error)) return false
    throw error
  }
}

/** Signals a session, with retries. @throws AdjutantError `temporal_unavailable`, `engine_mismatch` */
export const sendSignal = async (context: EngineContext, signal: SessionSignal): Promise<boolean> =>
  await callEngine(context, () => signalSession(context.temporal, signal))

/** Sends an update or, if no worker answers in time, a signal with the same payload; only the signal if the sender cannot wait. */
export const sendUpdateOrSignal = async (
  context: EngineContext,
  update: Update,
  {
    signalName,
    delivery = "update",
  }: { readonly signalName: "inbox" | "decide" | "setModel"; readonly delivery?: Delivery },
): Promise<UpdateResult> => {
  const result: UpdateResult = delivery === "signal" ? { kind: "no-answer" } : await sendUpdate(context, update)
  if (result.kind !== "no-answer") return result
  const { sessionId, payload } = update
  const delivered = await requestWork(context, () =>
    signalSession(context.temporal, { sessionId, name: signalName, payload }),
  )
  return delivered ? result : { kind: "gone" }
}
