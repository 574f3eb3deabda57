import { isGrpcServiceError, WorkflowNotFoundError } from "@temporalio/client"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { sessionIdOf, sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { tryDescribeExecution } from "../../engine/describe-execution.ts"
import { isEngineMismatch } from "../../sessions/engine/create-engine-guard.ts"
import { type ObservedSession, observeSessions } from "../../sessions/reconcile/observe-session.ts"
import type { Store } from "../../store/store.ts"
import type { ReconcileActivities } from "../contract/agent-activities.ts"
import type { ReconcilePass } from "../../domain/engine/reconcile-pass.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { startStuckDeliveries } from "../delivery/start-stuck-deliveries.ts"
import { archiveEndedSessions } from "./archive-ended-sessions.ts"
import { eraseDeletedSessions } from "./erase-deleted-sessions.ts"
import { classifySessions } from "./classify-sessions.ts"
import { endSession } from "./end-session.ts"
import { releaseExpiredBindings } from "./release-expired-bindings.ts"
import { reopenLiving } from "./reopen-living.ts"
import { createParentLookup, type ParentLookup, stopOrphan } from "./stop-orphan.ts"

type ReconcileDependencies = Pick<
  AgentDependencies,
  "store" | "temporal" | "engine" | "timing" | "logger" | "announcer"
>

/** One session in trouble must not keep the others from being checked. */
const falseWithoutAnswer = async (
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

/** A parent that the engine does not know may be missing, not gone, for as long as it is open in the store. */
const withMissingParents =
  (store: Pick<Store, "sessions">, parentOf: ParentLookup): ParentLookup =>
  async (workflowId) => {
    const parent = await parentOf(workflowId)
    if (parent?.status !== "not_found") return parent
    const row = await store.sessions.get(sessionIdOf(workflowId) ?? "")
    return row === undefined || isFinal(row.status) ? parent : undefined
  }

const countTrue = async (
  items: readonly ObservedSession[],
  work: (item: ObservedSession) => Promise<boolean>,
): Promise<number> => {
  let done = 0
  for (const item of items) if (await work(item)) done += 1
  return done
}

const emptyPass: ReconcilePass = {
  checked: 0,
  mended: 0,
  missing: 0,
  reopened: 0,
  stopped: null,
  orphans: 0,
  archived: 0,
  erased: 0,
  deliveries: 0,
}

type Pass = (
  deps: ReconcileDependencies,
  snapshotOf: (hash: string) => Promise<RunSnapshot>,
  dryRun: boolean,
) => Promise<ReconcilePass>

/** The engine is compared after all its answers are there, before anything is made of them. */
const reconcileOnce: Pass = async (deps, snapshotOf, dryRun) => {
  const { store, temporal, engine, logger } = deps
  await engine.verify()
  const open = await store.sessions.listOpen()
  const describe = (sessionId: string) => tryDescribeExecution(temporal, sessionWorkflowId(sessionId))
  const all = await observeSessions({ ...deps, describe }, open)
  const { claimId } = await engine.verify()
  const { over, missing, isStopped } = await classifySessions(deps, all, { claimId, dryRun })
  const found = {
    ...emptyPass,
    checked: open.length,
    missing,
    stopped: isStopped ? ("too_many_missing" as const) : null,
  }
  if (dryRun) return { ...found, mended: over.length }
  if (isStopped)
    logger.error({ missing, open: open.length }, "too many sessions are missing in Temporal: none of them is ended")
  const mended = await countTrue(over, (observed) =>
    falseWithoutAnswer(deps, observed.row.id, () => endSession(deps, observed)),
  )
  const reopened = await reopenLiving(deps)
  const parentOf = withMissingParents(store, createParentLookup(temporal))
  const orphans = isStopped
    ? 0
    : await countTrue(all, ({ row, execution }) =>
        falseWithoutAnswer(deps, row.id, () => stopOrphan(temporal, row.id, { child: execution, parentOf })),
      )
  await releaseExpiredBindings(deps, Date.now())
  const archived = await archiveEndedSessions(store, snapshotOf, Date.now())
  const erased = await eraseDeletedSessions(deps)
  const deliveries = await startStuckDeliveries(deps, Date.now())
  return { ...found, mended, reopened, orphans, archived, erased, deliveries }
}

/**
 * Finishes what ended without running any code. Sessions that were terminated, timed out or lost show it; those that were recorded as lost and live are
 * opened again; children whose parent's run is gone are cancelled; old sessions are archived; deletions that were cut short are finished. In an engine
 * that the store does not belong to it does nothing.
 */
export const createReconcileSessions =
  (
    deps: ReconcileDependencies,
    snapshotOf: (hash: string) => Promise<RunSnapshot>,
  ): ReconcileActivities["reconcileSessions"] =>
  async ({ dryRun = false } = {}) => {
    try {
      return await reconcileOnce(deps, snapshotOf, dryRun)
    } catch (error) {
      if (!isEngineMismatch(error)) throw error
      deps.logger.error({ err: error }, "another Temporal answers: the reconciler does nothing")
      return { ...emptyPass, stopped: "other_engine" }
    }
  }
