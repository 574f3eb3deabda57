import { sessionWorkflowId, taskQueueOf } from "../../domain/engine/engine-names.ts"
import type { MissedOutcome } from "../../domain/engine/reconcile-decision.ts"
import { tryDescribeExecution } from "../../engine/describe-execution.ts"
import { announceOutcome } from "../../sessions/delivery/announce-outcome.ts"
import { recordMissedOutcome } from "../../sessions/outcome/record-missed-outcome.ts"
import { type ObservedSession, observeSession } from "../../sessions/engine/observe-session.ts"
import type { SessionRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

type EndDependencies = Pick<
  AgentDependencies,
  "store" | "temporal" | "announcer" | "engine" | "timing" | "logger" | "tracer"
>

/**
 * Describes the session again, since a pass over many sessions takes minutes: a terminated one may have been reset meanwhile. Returns the outcome to
 * record; undefined if it still runs, or if its row has changed.
 */
const observeAgain = async (
  { store, timing, temporal }: EndDependencies,
  { row, engine }: ObservedSession,
): Promise<{ readonly row: SessionRow; readonly missing: MissedOutcome } | undefined> => {
  const describe = (sessionId: string) => tryDescribeExecution(temporal, sessionWorkflowId(sessionId))
  const again = await observeSession({ store, timing, describe }, row)
  if (again.engine === null || again.missing === undefined) return undefined
  // Whether a session that is not found is lost has been decided only for one that was not found before.
  if (again.engine === "not_found" && engine !== "not_found") return undefined
  return { row: again.row, missing: again.missing }
}

/**
 * Records the outcome that nobody recorded, and announces it. A session that has changed is left for the next pass. The engine is compared again after
 * its answer: the server may have been replaced.
 * @throws AdjutantError `engine_mismatch`
 */
export const endSession = async (deps: EndDependencies, observed: ObservedSession): Promise<boolean> => {
  const { store, engine } = deps
  const again = await observeAgain(deps, observed)
  await engine.verify()
  if (again === undefined) return false
  const { row, missing } = again
  const { runId } = row
  const announcing = { ...deps, taskQueue: taskQueueOf(store.storeId), request: <T>(call: () => Promise<T>) => call() }
  const announce = runId === null ? undefined : () => announceOutcome(announcing, row, runId)
  await recordMissedOutcome(store, row, missing, announce)
  if (runId !== null) deps.tracer?.trace(row.id, runId)
  return true
}
