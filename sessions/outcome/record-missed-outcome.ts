import type { MissedOutcome } from "../../domain/engine/reconcile-decision.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import { readLastText } from "./read-last-text.ts"
import { recordOutcome, type RunOutcome } from "./record-outcome.ts"

type MissedStore = Pick<Store, "sessions" | "runs" | "pauses" | "messages" | "transaction">

const closeCurrentPause = async (store: MissedStore, sessionId: string): Promise<void> => {
  const pause = await store.pauses.current(sessionId)
  if (pause !== undefined) await store.pauses.close(sessionId, pause.checkpointId)
}

const outcomeOf = ({ status, stopReason, error, finalMessage }: RunOutcome): RunOutcome => ({
  status,
  stopReason,
  error,
  finalMessage,
})

/**
 * Records the outcome that a session's execution left unrecorded: closes its pause, and writes event, run and session. A run that recorded its own
 * outcome keeps it. Repeating it changes nothing.
 */
export const recordMissedOutcome = async (
  store: MissedStore,
  row: SessionRow,
  missing: MissedOutcome,
): Promise<void> => {
  await closeCurrentPause(store, row.id)
  const run = row.runId === null ? await store.runs.latest(row.id) : await store.runs.get(row.runId)
  if (run === undefined) return await store.sessions.patch(row.id, outcomeOf({ ...missing, finalMessage: null }))
  if (isFinal(run.status)) return await store.sessions.patch(row.id, outcomeOf(run))
  const { runId, stepsTaken } = run
  const finalMessage = await readLastText(store, { sessionId: row.id, runId, headSeq: row.headSeq })
  const outcome = outcomeOf({ ...missing, finalMessage })
  await recordOutcome(store, { ...outcome, sessionId: row.id, runId, stepsTaken, session: outcome })
}
