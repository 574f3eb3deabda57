import { statusForRun } from "../../domain/engine/missing-sessions.ts"
import { type EngineStatus, type MissingEnding, reconcileDecision } from "../../domain/engine/reconcile-decision.ts"
import type { SessionRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { describeSession, type Execution } from "./describe-execution.ts"

/** An open row beside what the engine says of its run. */
export interface Looked {
  readonly row: SessionRow
  readonly execution: Execution
  readonly engine: EngineStatus
  /** The outcome that is not in the store; undefined where nothing is missing. */
  readonly ending: MissingEnding | undefined
}

type LookDependencies = Pick<AgentDependencies, "store" | "temporal" | "timing">

/** Undefined where the engine cannot be asked just now, or where the row changed meanwhile: the answer may be about the execution before. */
const look = async ({ store, temporal, timing }: LookDependencies, row: SessionRow): Promise<Looked | undefined> => {
  const execution = await describeSession(temporal, row.id)
  const current = await store.sessions.get(row.id)
  if (execution === undefined || current?.status !== row.status || current.runId !== row.runId) return undefined
  const runs = await store.runs.list(row.id)
  const runCreatedAt = runs.find(({ runId }) => runId === current.runId)?.createdAt
  const engine = statusForRun(execution, { status: current.status, runCreatedAt })
  const ending = reconcileDecision({
    rowStatus: current.status,
    engine,
    rowAgeMs: Date.now() - Date.parse(current.updatedAt),
    startGraceMs: timing.startGraceMs,
    isFirstRun: current.status === "pending" && runs.length === 1,
  })
  return { row: current, execution, engine, ending }
}

/** Asks the engine about every row. Writes nothing. */
export const lookAtSessions = async (
  deps: LookDependencies,
  rows: readonly SessionRow[],
): Promise<readonly Looked[]> => {
  const looked: Looked[] = []
  for (const row of rows) {
    const found = await look(deps, row)
    if (found !== undefined) looked.push(found)
  }
  return looked
}
