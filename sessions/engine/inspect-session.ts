import type { EngineState } from "../../contracts/session/session.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { EngineStatus } from "../../domain/engine/reconcile-decision.ts"
import { isEngineMismatch } from "../../engine/engine-guard.ts"
import type { SessionRow } from "../../store/store.ts"
import { observeWithRetries } from "./observe-session.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { withShortDeadline } from "../../engine/describe-execution.ts"
import { missedOutcome } from "../rows/run-outcome.ts"
import { isTemporalUnavailable } from "../../engine/translate-temporal-error.ts"

/** A session as it is now. */
export interface Inspected {
  /** The row of the store. If the run has ended without a recorded outcome, the row has the outcome that follows from the engine. */
  readonly row: SessionRow
  /** Null if nothing runs, so that the engine was not asked. */
  readonly engineState: EngineState | null
  /** Set if the engine did not answer, or is not the store's own. */
  readonly isAway?: true
}

const sessionEngineState = (engine: EngineStatus): EngineState => {
  switch (engine) {
    case "running":
    case "not_found":
      return engine
    case "completed":
    case "failed":
    case "cancelled":
    case "terminated":
    case "timed_out":
      return "ended"
  }
}

const inspect = async (context: SessionsContext, row: SessionRow): Promise<Inspected> => {
  const observed = await observeWithRetries(withShortDeadline(context), row)
  if (observed.engine === null)
    return { row: observed.row, engineState: isFinal(observed.row.status) ? null : "unknown" }
  const { row: current, engine, missing } = observed
  if (engine === "running") return { row: current, engineState: "running" }
  // Only the answer of the store's own engine counts.
  await context.engine.verify()
  if (engine === "not_found" || missing === undefined) return { row: current, engineState: sessionEngineState(engine) }
  const run = current.runId === null ? undefined : await context.store.runs.get(current.runId)
  const outcome = await missedOutcome(context.store, { row: current, run }, missing)
  return { row: { ...current, ...outcome }, engineState: "ended" }
}

/** Asks the engine about a session for a reader. Writes nothing. If the engine does not answer, the row is returned as the store has it. */
export const inspectSession = async (context: SessionsContext, row: SessionRow): Promise<Inspected> => {
  if (isFinal(row.status) || row.runId === null) return { row, engineState: null }
  try {
    return await inspect(context, row)
  } catch (error) {
    if (!isTemporalUnavailable(error) && !isEngineMismatch(error)) throw error
    context.logger.warn(
      { session_id: row.id, error },
      "Temporal cannot tell about a session: showing what the store has",
    )
    return { row, engineState: "unknown", isAway: true }
  }
}
