import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { createReportRun } from "../channels/report-run.ts"
import { startDelivery } from "../delivery/start-stuck-deliveries.ts"
import { mendSession } from "./record-missed-outcome.ts"
import type { Looked } from "./look-at-sessions.ts"

type RecordDependencies = Pick<AgentDependencies, "store" | "temporal" | "announcer" | "engine">

/**
 * Writes the outcome that nobody wrote, and announces it. A row that has changed is left for the next pass. The engine is compared again: between its
 * answer and now, the server may have been replaced.
 * @throws AdjutantError `engine_mismatch`
 */
export const recordEnding = async (deps: RecordDependencies, { row, ending }: Looked): Promise<boolean> => {
  const { store, temporal, announcer, engine } = deps
  await engine.verify()
  const current = await store.sessions.get(row.id)
  if (ending === undefined || current?.status !== row.status || current.runId !== row.runId) return false
  await mendSession(store, current, ending)
  if (current.runId === null) return true
  const run = { sessionId: current.id, runId: current.runId }
  for (const input of await announcer.finished({ ...run, isTop: current.parentId === null }))
    await startDelivery(temporal, taskQueueOf(store.storeId), input)
  if (current.metadata["mode"] === "session") await createReportRun({ store, temporal })(run)
  return true
}
