import type { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { missingVerdict } from "../../domain/engine/missing-sessions.ts"
import { sessionMissing, sessionsMissing } from "../../domain/engine/missing-session-errors.ts"
import type { MissingEnding } from "../../domain/engine/reconcile-decision.ts"
import { runFinishedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import type { RunRow, SessionRow, Store } from "../../store/store.ts"
import { askEngine } from "./ask-engine.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { announceEnding } from "../delivery/announce-ending.ts"
import { lastText } from "../outcome/last-text.ts"

const closePause = async (store: Pick<Store, "pauses">, sessionId: string): Promise<void> => {
  const pause = await store.pauses.current(sessionId)
  if (pause !== undefined) await store.pauses.close(sessionId, pause.checkpointId)
}

/** The event goes first, and only once: who finds the run final can rely on it. Answers the run as it is then. */
const endRun = async (
  store: Pick<Store, "runs" | "messages" | "events">,
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
const recordMissingEnding = async (
  store: Pick<Store, "sessions" | "runs" | "messages" | "events" | "pauses">,
  row: SessionRow,
  missing: MissingEnding,
): Promise<void> => {
  const run = row.runId === null ? undefined : await store.runs.get(row.runId)
  await closePause(store, row.id)
  if (run === undefined) await store.sessions.patch(row.id, outcomeOf({ ...missing, finalMessage: null }))
  else if (isFinal(run.status)) await store.sessions.patch(row.id, outcomeOf(run))
  else await store.sessions.patch(row.id, await endRun(store, { row, run }, missing))
}

/** Notes that the engine does not know a run. Returns what to say to whoever waits for it; undefined once it counts as lost. */
const missingProblem = async (
  { store, timing }: SessionsContext,
  row: SessionRow,
  at: { readonly claimId: string; readonly runId: string },
): Promise<AdjutantError | undefined> => {
  const sighting = await store.missing.note(row.id, at)
  const count = await store.missing.count(at.claimId)
  const confirmMs = timing.missingConfirmMs
  switch (missingVerdict({ sighting, nowMs: Date.now(), confirmMs, count })) {
    case "unconfirmed":
      return sessionMissing(row.id, confirmMs)
    case "too_many":
      return sessionsMissing(count)
    case "lost":
      return undefined
  }
}

export interface Reconciled {
  /** As it is then. */
  readonly row: SessionRow
  /** The engine does not know the session, and that is not yet taken for its end. */
  readonly problem?: AdjutantError
}

/**
 * Compares an open row with the engine, and records the outcome where the execution is over. Nothing is recorded for what another engine says, and
 * for a session that is not found only when it is missed again later.
 * @throws AdjutantError `temporal_unavailable`, `engine_mismatch`
 */
export const reconcileSession = async (context: SessionsContext, row: SessionRow): Promise<Reconciled> => {
  // Without a run there is nothing yet that the engine could know.
  if (isFinal(row.status) || row.runId === null) return { row }
  const { store } = context
  const { row: current, engine, missing } = await askEngine(context, row)
  if (engine === "running") await store.missing.clear(row.id, row.runId)
  if (missing === undefined || current.runId === null) {
    const isDoubtful = engine === "not_found" && current.status !== "pending"
    return { row: current, ...(isDoubtful ? { problem: sessionMissing(row.id, context.timing.missingConfirmMs) } : {}) }
  }
  // After the answer, not before: the server may have been replaced meanwhile.
  const { claimId } = await context.engine.verify()
  if (engine === "not_found") {
    const problem = await missingProblem(context, current, { claimId, runId: current.runId })
    if (problem !== undefined) return { row: current, problem }
  }
  await recordMissingEnding(store, current, missing)
  await announceEnding(context, current, current.runId)
  return { row: (await store.sessions.get(row.id)) ?? current }
}
