import { statusForRun } from "../../domain/engine/missing-sessions.ts"
import { type EngineStatus, type MissedOutcome, reconcileDecision } from "../../domain/engine/reconcile-decision.ts"
import { describeSession, type EngineExecution } from "../../engine/describe-execution.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"

export interface ObserveDependencies {
  readonly store: Pick<Store, "sessions" | "runs">
  readonly timing: { readonly startGraceMs: number }
  /** Undefined where the engine cannot tell about the session. */
  readonly describe: (sessionId: string) => Promise<EngineExecution | undefined>
}

/** A session's row and what the engine says of its run. */
export interface ObservedSession {
  /** Read after the engine has answered: a workflow records its end before it closes, so a row from before could miss it. */
  readonly row: SessionRow
  readonly execution: EngineExecution
  /** What the engine says of the run that the row is open for. */
  readonly engine: EngineStatus
  /** The outcome that the store lacks; undefined if it lacks none, or if the workflow may still record it. */
  readonly missing: MissedOutcome | undefined
}

/** A session without an answer of the engine: it could not tell, or the row changed meanwhile, so that the answer was about an earlier run. */
export interface UnobservedSession {
  readonly row: SessionRow
  readonly engine: null
}

/** Asks the engine about a session that is open in the store. Writes nothing. */
export const observeSession = async (
  { store, timing, describe }: ObserveDependencies,
  row: SessionRow,
): Promise<ObservedSession | UnobservedSession> => {
  const execution = await describe(row.id)
  const current = (await store.sessions.get(row.id)) ?? row
  if (execution === undefined || current.status !== row.status || current.runId !== row.runId)
    return { row: current, engine: null }
  const runs = await store.runs.list(row.id)
  const runCreatedAt = runs.find(({ runId }) => runId === current.runId)?.createdAt
  const engine = statusForRun(execution, { status: current.status, runCreatedAt })
  const missing = reconcileDecision({
    rowStatus: current.status,
    engine,
    rowAgeMs: Date.now() - Date.parse(current.updatedAt),
    startGraceMs: timing.startGraceMs,
    isFirstRun: current.status === "pending" && runs.length === 1,
  })
  return { row: current, execution, engine, missing }
}

/**
 * Asks the engine about a session that is open in the store, and retries while the engine does not answer.
 * @throws AdjutantError `temporal_unavailable`, `engine_mismatch`
 */
export const observeWithRetries = async (
  context: SessionsContext,
  row: SessionRow,
): Promise<ObservedSession | UnobservedSession> =>
  await observeSession({ ...context, describe: (sessionId) => describeSession(context, sessionId) }, row)
