import { setTimeout as delay } from "node:timers/promises"
import type { Status } from "../../contracts/status.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionRow } from "../../store/store.ts"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { type Actor, auditedActor } from "../actor.ts"
import { callEngine } from "../../engine/call-engine.ts"
import { pollDelaysMs } from "./poll-delays.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { refreshSession } from "../reconcile/reconcile-session.ts"
import { requireRun, requireSession } from "../rows/require-session.ts"
import { descendantsOf } from "../rows/session-tree.ts"
import { isExecutionGone } from "../../engine/translate-temporal-error.ts"

/**
 * Requests the cancellation of a session's execution; returns false if it is already closed. It is stored in Temporal without a worker, and before one is
 * required (`requireWorkerToCancel`): what is to end also ends where none can be started now.
 */
export const requestCancel = async (context: SessionsContext, sessionId: string): Promise<boolean> => {
  const handle = context.temporal.workflow.getHandle(sessionWorkflowId(sessionId))
  try {
    await callEngine(context, () => handle.cancel())
    return true
  } catch (error) {
    if (isExecutionGone(error)) return false
    throw error
  }
}

/** Returns when a worker carries out the requested cancellations. @throws AdjutantError why none can be started, and that they are stored */
export const requireWorkerToCancel = async ({ requireWorker }: SessionsContext): Promise<void> => {
  try {
    await requireWorker?.()
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    const message = `the cancellation is stored, and takes effect as soon as a worker runs: ${error.message}`
    throw new AdjutantError(error.code, message, { reason: error.reason, cause: error })
  }
}

/** Returns whether the row's run was cancelled and a message has started the next run since. */
const wasFollowed = async ({ store }: SessionsContext, row: SessionRow, current: SessionRow): Promise<boolean> =>
  row.runId !== null && current.runId !== row.runId && (await store.runs.get(row.runId))?.status === "cancelled"

/** Waits until the row is final, or for `cancelWaitMs`; returns the current row. */
const settle = async (context: SessionsContext, row: SessionRow): Promise<SessionRow> => {
  const { timing, store } = context
  const until = Date.now() + timing.cancelWaitMs
  let nextEngineCheck = Date.now() + timing.checkIntervalMs
  let current = row
  for (const waitMs of pollDelaysMs()) {
    if (isFinal(current.status)) break
    const left = until - Date.now()
    if (left <= 0) return await refreshSession(context, current)
    await delay(Math.min(waitMs, left))
    current = (await store.sessions.get(row.id)) ?? current
    if (await wasFollowed(context, row, current)) return { ...row, status: "cancelled" }
    if (Date.now() < nextEngineCheck) continue
    current = await refreshSession(context, current)
    nextEngineCheck = Date.now() + timing.checkIntervalMs
  }
  return current
}

/**
 * Closes sessions that wait for messages from their thread between two runs. The outcomes of their last runs do not change. Returns whether there was an
 * execution to close.
 */
const closeOpenSessions = async (context: SessionsContext, row: SessionRow): Promise<boolean> => {
  const bound = new Set((await context.store.bindings.list()).map(({ sessionId }) => sessionId))
  let hasRequested = false
  if (bound.size === 0) return hasRequested
  for (const each of [row, ...(await descendantsOf(context.store, row))]) {
    if (each.internal["mode"] !== "session" || !bound.has(each.id)) continue
    if ((each.id !== row.id || isFinal(row.status)) && (await requestCancel(context, each.id))) hasRequested = true
    await context.store.bindings.remove(each.id)
  }
  return hasRequested
}

/** Returns the sessions below this one that have an open run. */
export const openRunsBelow = async (store: SessionsContext["store"], row: SessionRow): Promise<readonly SessionRow[]> =>
  (await descendantsOf(store, row)).filter(({ status, runId }) => runId !== null && !isFinal(status))

/**
 * Cancels sessions that callers created below this one, and returns those that were open. Temporal does not know them as children of this session,
 * so it does not cancel them together with it.
 */
const cancelBelow = async (context: SessionsContext, row: SessionRow): Promise<readonly SessionRow[]> => {
  const open = await openRunsBelow(context.store, row)
  for (const each of open) await requestCancel(context, each.id)
  return open
}

/** Cancels what is still open below a session that has ended, and waits briefly for the end. */
const cancelBelowEnded = async (context: SessionsContext, row: SessionRow, actor: Actor): Promise<void> => {
  const hasClosed = await closeOpenSessions(context, row)
  const stopped = await cancelBelow(context, row)
  for (const { id: sessionId, runId } of stopped)
    await context.store.audit.record({
      ...{ sessionId, runId, action: "cancel", ...auditedActor(actor) },
      detail: { below: row.id },
    })
  if (hasClosed || stopped.length > 0) await requireWorkerToCancel(context)
  await Promise.all(stopped.map((each) => settle(context, each)))
}

/**
 * Requests the cancellation of a session's execution and of everything below it, and records that in the audit log. Returns whether the execution was
 * open, and whether anything was requested that a worker has to carry out.
 */
export const startCancel = async (
  context: SessionsContext,
  row: SessionRow,
  { actor, detail = {} }: { readonly actor: Actor; readonly detail?: Readonly<Record<string, unknown>> },
): Promise<{ readonly isOpen: boolean; readonly hasRequested: boolean }> => {
  const hasClosed = await closeOpenSessions(context, row)
  const { id: sessionId, runId } = row
  await context.store.audit.record({ sessionId, runId, action: "cancel", ...auditedActor(actor), detail })
  const isOpen = await requestCancel(context, row.id)
  const below = await cancelBelow(context, row)
  return { isOpen, hasRequested: isOpen || hasClosed || below.length > 0 }
}

/**
 * Cancels a session's execution and everything below it, and waits briefly for the end. A session that is final does not change: its status is returned.
 * @throws AdjutantError `session_not_found`, `run_mismatch`, `temporal_unavailable`; `service_unavailable` if the cancellation is stored but no worker can
 * be started
 */
export const cancel = async (
  context: SessionsContext,
  request: { readonly sessionId: string; readonly runId?: string },
  actor: Actor,
): Promise<{ status: Status }> => {
  const row = await requireSession(context.store, request.sessionId)
  requireRun(row, request.runId)
  if (row.runId === null) return { status: row.status }
  if (isFinal(row.status)) {
    await cancelBelowEnded(context, row, actor)
    return { status: row.status }
  }
  const { isOpen, hasRequested } = await startCancel(context, row, { actor })
  if (hasRequested) await requireWorkerToCancel(context)
  const { status } = await settle(context, isOpen ? row : await refreshSession(context, row))
  return { status }
}
