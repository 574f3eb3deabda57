import { isGrpcServiceError, WorkflowNotFoundError } from "@temporalio/client"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import { taskQueueOf } from "../domain/engine-names.ts"
import { reconcileDecision } from "../domain/reconcile-decision.ts"
import type { SessionRow } from "../store/store.ts"
import type { ReconcileActivities } from "./agent-activities.ts"
import type { AgentDependencies } from "./agent-dependencies.ts"
import { createReportRun } from "./bindings/report-run.ts"
import { startDelivery, startStuckDeliveries } from "./delivery/start-stuck-deliveries.ts"
import { mendSession } from "./mend-session.ts"
import { archiveEndedSessions } from "./reconcile/archive-ended-sessions.ts"
import { describeSession, type Execution } from "./reconcile/describe-execution.ts"
import { eraseDeletedSessions } from "./reconcile/erase-deleted-sessions.ts"
import { releaseExpiredBindings } from "./reconcile/release-expired-bindings.ts"
import { createParentLookup, stopOrphan } from "./reconcile/stop-orphan.ts"

const startGraceMs = 60_000

type ReconcileDependencies = Pick<AgentDependencies, "store" | "temporal" | "logger" | "announcer">

/**
 * Writes the ending that nobody wrote. A row that changed while the engine was asked is left for the next pass: the answer may be about the
 * execution before.
 */
const mendIfOver = async (
  { store, temporal, announcer }: ReconcileDependencies,
  row: SessionRow,
  { status }: Execution,
): Promise<boolean> => {
  const current = await store.sessions.get(row.id)
  if (current === undefined || current.status !== row.status || current.runId !== row.runId) return false
  const missing = reconcileDecision({
    rowStatus: current.status,
    engine: status,
    rowAgeMs: Date.now() - Date.parse(current.updatedAt),
    startGraceMs,
    isFirstRun: current.status === "pending" && (await store.runs.list(row.id)).length === 1,
  })
  if (missing === undefined) return false
  await mendSession(store, current, missing)
  if (current.runId !== null)
    for (const input of await announcer.finished({
      sessionId: current.id,
      runId: current.runId,
      isTop: current.parentId === null,
    }))
      await startDelivery(temporal, taskQueueOf(store.storeId), input)
  if (current.runId !== null && current.metadata["mode"] === "session")
    await createReportRun({ store, temporal })({ sessionId: current.id, runId: current.runId })
  return true
}

/** One session in trouble must not keep the others from being looked at. */
const orFalse = async (
  deps: ReconcileDependencies,
  sessionId: string,
  work: () => Promise<boolean>,
): Promise<boolean> => {
  try {
    return await work()
  } catch (error) {
    if (!isGrpcServiceError(error) && !(error instanceof WorkflowNotFoundError)) throw error
    deps.logger.warn({ err: error, session_id: sessionId }, "the engine did not answer about a session")
    return false
  }
}

/**
 * Finishes what ended without running any code. Sessions that were terminated, timed out or lost show it; children whose parent's run is gone are
 * cancelled; old sessions are archived; deletions that were cut short are finished.
 */
export const createReconcileSessions =
  (
    deps: ReconcileDependencies,
    snapshotOf: (hash: string) => Promise<RunSnapshot>,
  ): ReconcileActivities["reconcileSessions"] =>
  async () => {
    const { store, temporal } = deps
    const open = await store.sessions.listOpen()
    const parentOf = createParentLookup(temporal)
    let mended = 0
    let orphans = 0
    for (const row of open) {
      const execution = await describeSession(temporal, row.id)
      if (execution === undefined) continue
      if (await mendIfOver(deps, row, execution)) mended += 1
      if (await orFalse(deps, row.id, () => stopOrphan(temporal, row.id, { child: execution, parentOf }))) orphans += 1
    }
    await releaseExpiredBindings(deps, Date.now())
    const archived = await archiveEndedSessions(store, snapshotOf, Date.now())
    const erased = await eraseDeletedSessions(deps)
    const deliveries = await startStuckDeliveries(deps, Date.now())
    return { checked: open.length, mended, orphans, archived, erased, deliveries }
  }
