import type { MissedOutcome } from "../../domain/engine/reconcile-decision.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import { dropManifestOf } from "./pause-manifest.ts"
import { missedOutcome } from "../rows/run-outcome.ts"
import { type EndedRun, recordOutcome } from "./record-outcome.ts"

type MissedStore = Pick<Store, "sessions" | "runs" | "pauses" | "messages" | "transaction">

const closeCurrentPause = async (store: MissedStore, sessionId: string): Promise<void> => {
  const pause = await store.pauses.current(sessionId)
  if (pause === undefined) return
  await store.pauses.close(sessionId, pause.checkpointId)
  await dropManifestOf(store, sessionId, pause.checkpointId)
}

/**
 * Records the outcome of a session whose execution ended without recording one, for example because its worker was killed. Closes its pause, and
 * writes the event, the run and the session. A run that recorded its own outcome keeps it. Idempotent. `announce` announces the outcome: if it
 * fails, the session stays open, and the next pass or request repeats it.
 */
export const recordMissedOutcome = async (
  store: MissedStore,
  row: SessionRow & Pick<EndedRun, "shown">,
  missing: MissedOutcome,
  announce?: () => Promise<void>,
): Promise<void> => {
  await closeCurrentPause(store, row.id)
  const run = row.runId === null ? await store.runs.latest(row.id) : await store.runs.get(row.runId)
  const outcome = await missedOutcome(store, { row, run }, missing)
  if (run !== undefined && !isFinal(run.status)) {
    const { runId, stepsTaken } = run
    const { shown = runId } = row
    const session = announce === undefined ? outcome : null
    await recordOutcome(store, { ...outcome, sessionId: row.id, runId, shown, stepsTaken, session })
    if (session !== null) return
  }
  await announce?.()
  // If a message has started the next run meanwhile, the row shows that run, and this outcome must not replace it.
  const isCurrent = (await store.sessions.get(row.id))?.runId === row.runId
  if (isCurrent) await store.sessions.patch(row.id, { ...outcome, blockedBy: null })
}
