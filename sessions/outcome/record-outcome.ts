import type { Warning } from "../../contracts/run/warning.ts"
import { runFinishedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { finalMessageOf } from "../../domain/transcript/final-message-of.ts"
import type { RunSpending } from "../../domain/limits/run-spending.ts"
import type { SessionPatch, Store } from "../../store/store.ts"
import type { RunOutcome } from "../rows/run-outcome.ts"

export interface EndedRun extends RunOutcome {
  readonly sessionId: string
  readonly runId: string
  readonly stepsTaken: number
  /** US dollars; null if a price is unknown. Absent if the cost was not counted. */
  readonly costUsd?: number | null
  readonly spending?: RunSpending
  readonly warnings?: readonly Warning[]
  /** The patch for the session's row, if that shows the run; null leaves it unchanged. */
  readonly session: SessionPatch | null
  /** The run that the session's row shows instead, if this one was never opened. */
  readonly shown?: string | null
  /** When its execution reported it, in milliseconds since 1970: one that was reset replaces the outcome from before. */
  readonly since?: number
}

/**
 * Records the outcome of a run: its event, its row and the session's row, in one transaction. Idempotent: the event is written once, whichever process
 * records the outcome.
 */
export const recordOutcome = async (store: Pick<Store, "transaction">, run: EndedRun): Promise<void> => {
  const {
    sessionId,
    runId,
    status,
    stopReason,
    error,
    finalMessage,
    stepsTaken,
    costUsd,
    spending,
    warnings = [],
    session,
    shown = runId,
    since,
  } = run
  const outcome: RunOutcome = { status, stopReason, error, finalMessage }
  const data = {
    status,
    stop_reason: stopReason,
    final_message: finalMessageOf(outcome),
    error,
    steps_taken: stepsTaken,
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  }
  await store.transaction(async (writes) => {
    const ended = { ...outcome, stepsTaken, spending, finishedAt: new Date().toISOString() }
    await writes.runs.patchWithSession({
      ...{ sessionId, runId, shown, since, run: ended },
      ...(session === null ? {} : { session: { ...session, blockedBy: null } }),
    })
    // After the patch, which lets a run that was reset have another one.
    await writes.events.append(sessionId, [{ type: "run-finished", runId, ordinal: runFinishedOrdinal, data }])
    await writes.dailyUsage.releaseRun({ sessionId, runId })
    await writes.providerCalls.releaseRun({ sessionId, runId })
  })
}
