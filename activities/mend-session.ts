import type { MissingEnding } from "../domain/reconcile-decision.ts"
import { runFinishedOrdinal } from "../domain/run-event-ordinals.ts"
import type { SessionRow, Store } from "../store/store.ts"
import { lastText } from "./last-text.ts"

/** Writes the outcome that a session's execution could not record: its run and row are final, its pause is over, readers hear of it. */
export const mendSession = async (store: Store, row: SessionRow, ending: MissingEnding): Promise<void> => {
  const rows = await store.messages.read(row.id, { fromSeq: Math.max(1, row.headSeq - 500), headSeq: row.headSeq })
  const runId = row.runId ?? (await store.runs.latest(row.id))?.runId
  const finalMessage = runId === undefined ? "" : lastText(rows, runId)
  const outcome = { status: ending.status, stopReason: ending.stopReason, error: ending.error, finalMessage }
  const pause = await store.pauses.current(row.id)
  if (pause !== undefined) await store.pauses.close(row.id, pause.checkpointId)
  if (runId !== undefined) {
    await store.runs.patch(runId, { ...outcome, finishedAt: new Date().toISOString() })
    await store.events.append(row.id, [
      {
        type: "run-finished",
        runId,
        ordinal: runFinishedOrdinal,
        data: {
          status: ending.status,
          stop_reason: ending.stopReason,
          final_message: finalMessage,
          error: ending.error,
          steps_taken: row.stepsTaken,
        },
      },
    ])
  }
  await store.sessions.patch(row.id, outcome)
}
