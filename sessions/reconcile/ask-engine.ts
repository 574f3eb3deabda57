import { statusForRun } from "../../domain/engine/missing-sessions.ts"
import { type EngineStatus, type MissingEnding, reconcileDecision } from "../../domain/engine/reconcile-decision.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { describeExecution } from "../../engine/describe-session.ts"

/** A session's row beside what the engine says of its run. */
export interface Asked {
  /** As it is after the engine was asked: a workflow writes its end before it closes. */
  readonly row: SessionRow
  /** Null where the row changed meanwhile: the answer may be about the execution before. */
  readonly engine: EngineStatus | null
  /** The outcome that is not in the store; undefined where nothing is missing, or may still come. */
  readonly missing?: MissingEnding
}

/** Asks the engine about a session that is open in the store and has a run. Writes nothing. */
export const askEngine = async (context: SessionsContext, row: SessionRow): Promise<Asked> => {
  const { store, timing } = context
  const execution = await describeExecution(context, row.id)
  const current = (await store.sessions.get(row.id)) ?? row
  if (current.status !== row.status || current.runId !== row.runId) return { row: current, engine: null }
  const runs = await store.runs.list(row.id)
  const runCreatedAt = runs.find(({ runId }) => runId === row.runId)?.createdAt
  const engine = statusForRun(execution, { status: current.status, runCreatedAt })
  const missing = reconcileDecision({
    rowStatus: current.status,
    engine,
    rowAgeMs: Date.now() - Date.parse(current.updatedAt),
    startGraceMs: timing.startGraceMs,
    isFirstRun: current.status === "pending" && runs.length === 1,
  })
  return { row: current, engine, ...(missing === undefined ? {} : { missing }) }
}
