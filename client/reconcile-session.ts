import { isFinal } from "../domain/is-final.ts"
import { type MissingEnding, reconcileDecision } from "../domain/reconcile-decision.ts"
import { runFinishedOrdinal } from "../domain/run-event-ordinals.ts"
import type { RunRow, SessionRow, Store } from "../store/store.ts"
import type { ClientContext } from "./client-context.ts"
import { announceEnding } from "./deliveries/announce-ending.ts"
import { describeSession } from "./describe-session.ts"
import { lastText } from "./last-text.ts"

const closePause = async (store: Store, sessionId: string): Promise<void> => {
  const pause = await store.pauses.current(sessionId)
  if (pause !== undefined) await store.pauses.close(sessionId, pause.checkpointId)
}

/** The event goes first, and only once: who finds the run final can rely on it. Answers the run as it is then. */
const endRun = async (
  store: Store,
  { row, run }: { readonly row: SessionRow; readonly run: RunRow },
  missing: MissingEnding,
): Promise<Outcome> => {
  const { status, stopReason, error } = missing
  const finalMessage = await lastText(store, row, run.runId)
  await store.events.append(row.id, [
    {
      type: "run-finished",
      runId: run.runId,
      ordinal: runFinishedOrdinal,
      data: { status, stop_reason: stopReason, final_message: finalMessage, error, steps_taken: run.stepsTaken },
    },
  ])
  await store.runs.patch(run.runId, { status, stopReason, error, finalMessage, finishedAt: new Date().toISOString() })
  return { status, stopReason, error, finalMessage }
}

type Outcome = Pick<RunRow, "status" | "stopReason" | "error" | "finalMessage">

const outcomeOf = ({ status, stopReason, error, finalMessage }: Outcome): Outcome => ({
  status,
  stopReason,
  error,
  finalMessage,
})

/** Writes the outcome that an execution left unrecorded: event, run, pause, session. Repeating it does nothing more. */
const recordMissingEnding = async (store: Store, row: SessionRow, missing: MissingEnding): Promise<void> => {
  const run = row.runId === null ? undefined : await store.runs.get(row.runId)
  await closePause(store, row.id)
  if (run === undefined) await store.sessions.patch(row.id, outcomeOf({ ...missing, finalMessage: null }))
  else if (isFinal(run.status)) await store.sessions.patch(row.id, outcomeOf(run))
  else await store.sessions.patch(row.id, await endRun(store, { row, run }, missing))
}

/**
 * Compares an open row with the engine and mends it when the execution is over. Answers the row as it is then. A row that changed while the engine
 * was asked is left for the next time: the answer may be about the execution before.
 */
export const reconcileSession = async (context: ClientContext, row: SessionRow): Promise<SessionRow> => {
  // Without a run there is nothing yet that the engine could know.
  if (isFinal(row.status) || row.runId === null) return row
  const { store, timing } = context
  const engine = await describeSession(context, row.id)
  const current = (await store.sessions.get(row.id)) ?? row
  if (current.status !== row.status || current.runId !== row.runId) return current
  const missing = reconcileDecision({
    rowStatus: current.status,
    engine,
    rowAgeMs: Date.now() - Date.parse(current.updatedAt),
    startGraceMs: timing.startGraceMs,
    isFirstRun: current.status === "pending" && (await store.runs.list(row.id)).length === 1,
  })
  if (missing === undefined) return current
  await recordMissingEnding(store, current, missing)
  if (current.runId !== null) await announceEnding(context, current, current.runId)
  return (await store.sessions.get(row.id)) ?? current
}
