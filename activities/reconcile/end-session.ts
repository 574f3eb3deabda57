import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import { announceOutcome } from "../../sessions/delivery/announce-outcome.ts"
import { recordMissedOutcome } from "../../sessions/outcome/record-missed-outcome.ts"
import type { ObservedSession } from "../../sessions/reconcile/observe-session.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/**
 * Records the outcome that nobody recorded, and announces it. A row that has changed is left for the next pass. The engine is compared again: between
 * its answer and now, the server may have been replaced.
 * @throws AdjutantError `engine_mismatch`
 */
export const endSession = async (
  deps: Pick<AgentDependencies, "store" | "temporal" | "announcer" | "engine">,
  { row, missing }: ObservedSession,
): Promise<boolean> => {
  const { store, temporal, announcer, engine } = deps
  await engine.verify()
  const current = await store.sessions.get(row.id)
  if (missing === undefined || current?.status !== row.status || current.runId !== row.runId) return false
  await recordMissedOutcome(store, current, missing)
  if (current.runId === null) return true
  const taskQueue = taskQueueOf(store.storeId)
  await announceOutcome({ store, temporal, taskQueue, announcer, request: (call) => call() }, current, current.runId)
  return true
}
