import { isFinal } from "../domain/is-final.ts"
import { type MissingEnding, reconcileDecision } from "../domain/reconcile-decision.ts"
import type { RunRow, SessionRow, Store } from "../store/store.ts"
import type { ClientContext } from "./client-context.ts"
import { describeSession } from "./describe-session.ts"

/** Far above any ordinal that a workflow gives its own events: whoever mends first writes the event, and only once. */
const mendedOrdinal = 1_000_000_000

const closePause = async (store: Store, sessionId: string): Promise<void> => {
  const pause = await store.pauses.current(sessionId)
  if (pause !== undefined) await store.pauses.close(sessionId, pause.checkpointId)
}

const endRun = async (store: Store, run: RunRow, missing: MissingEnding): Promise<void> => {
  const { status, stopReason, error } = missing
  await store.events.append(run.sessionId, [
    {
      type: "run-finished",
      runId: run.runId,
      ordinal: mendedOrdinal,
      data: { status, stop_reason: stopReason, error },
    },
  ])
  await store.runs.patch(run.runId, { status, stopReason, error, finishedAt: new Date().toISOString() })
}

/** Writes the outcome that an execution left unrecorded: event, run, pause, session. Repeating it does nothing more. */
export const recordMissingEnding = async (store: Store, row: SessionRow, missing: MissingEnding): Promise<void> => {
  const run = row.runId === null ? undefined : await store.runs.get(row.runId)
  if (run !== undefined && !isFinal(run.status)) await endRun(store, run, missing)
  await closePause(store, row.id)
  const recorded = run !== undefined && isFinal(run.status) ? run : undefined
  await store.sessions.patch(row.id, {
    status: recorded?.status ?? missing.status,
    stopReason: recorded?.stopReason ?? missing.stopReason,
    error: recorded === undefined ? missing.error : recorded.error,
    ...(recorded === undefined ? {} : { finalMessage: recorded.finalMessage }),
  })
}

/**
 * Compares an open row with the engine and mends it when the execution is over. Answers the row as it is then. A row that changed while the engine
 * was asked is left for the next time: the answer may be about the execution before.
 */
export const reconcileSession = async (context: ClientContext, row: SessionRow): Promise<SessionRow> => {
  if (isFinal(row.status)) return row
  const { store, timing } = context
  const engine = await describeSession(context, row.id)
  const current = (await store.sessions.get(row.id)) ?? row
  if (current.status !== row.status || current.runId !== row.runId) return current
  const missing = reconcileDecision({
    rowStatus: current.status,
    engine,
    rowAgeMs: Date.now() - Date.parse(current.updatedAt),
    startGraceMs: timing.startGraceMs,
  })
  if (missing === undefined) return current
  await recordMissingEnding(store, current, missing)
  return (await store.sessions.get(row.id)) ?? current
}
