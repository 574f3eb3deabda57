import type { MissedOutcome } from "../../domain/engine/reconcile-decision.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { RunRow, SessionRow, Store } from "../../store/store.ts"
import { readLastText } from "./read-last-text.ts"

/** The outcome of a run. */
export type RunOutcome = Pick<RunRow, "status" | "stopReason" | "error" | "finalMessage">

const outcomeIn = ({ status, stopReason, error, finalMessage }: RunOutcome): RunOutcome => ({
  status,
  stopReason,
  error,
  finalMessage,
})

/** Returns the outcome of a session whose execution has ended. A run that recorded its own outcome keeps it. */
export const missedOutcome = async (
  store: Pick<Store, "messages">,
  { row, run }: { readonly row: SessionRow; readonly run: RunRow | undefined },
  missing: MissedOutcome,
): Promise<RunOutcome> => {
  if (run === undefined) return outcomeIn({ ...missing, finalMessage: null })
  if (isFinal(run.status)) return outcomeIn(run)
  const finalMessage = await readLastText(store, { sessionId: row.id, runId: run.runId, headSeq: row.headSeq })
  return outcomeIn({ ...missing, finalMessage })
}
