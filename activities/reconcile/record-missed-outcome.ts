import type { MissingEnding } from "../../domain/engine/reconcile-decision.ts"
import { runFinishedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { finalMessageOf } from "../../domain/transcript/final-message-of.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import { lastText } from "../run/last-text.ts"

/**
 * Writes the outcome that a session's execution could not record: its pause is over, readers hear of it, its run and row are final. A run that
 * recorded its own outcome keeps it. The event goes first: who finds the run final can rely on it.
 */
export const mendSession = async (
  store: Pick<Store, "sessions" | "runs" | "messages" | "events" | "pauses">,
  row: SessionRow,
  ending: MissingEnding,
): Promise<void> => {
  const pause = await store.pauses.current(row.id)
  if (pause !== undefined) await store.pauses.close(row.id, pause.checkpointId)
  const run = row.runId === null ? await store.runs.latest(row.id) : await store.runs.get(row.runId)
  if (run !== undefined && isFinal(run.status)) {
    const { status, stopReason, error, finalMessage } = run
    return store.sessions.patch(row.id, { status, stopReason, error, finalMessage })
  }
  const rows = await store.messages.read(row.id, { fromSeq: Math.max(1, row.headSeq - 500), headSeq: row.headSeq })
  const runId = run?.runId
  const finalMessage = runId === undefined ? "" : lastText(rows, runId)
  const outcome = { status: ending.status, stopReason: ending.stopReason, error: ending.error, finalMessage }
  if (runId !== undefined) {
    await store.events.append(row.id, [
      {
        type: "run-finished",
        runId,
        ordinal: runFinishedOrdinal,
        data: {
          status: ending.status,
          stop_reason: ending.stopReason,
          final_message: finalMessageOf(outcome),
          error: ending.error,
          steps_taken: row.stepsTaken,
        },
      },
    ])
    await store.runs.patch(runId, { ...outcome, finishedAt: new Date().toISOString() })
  }
  await store.sessions.patch(row.id, outcome)
}
