import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import {
  maxPlannedActions,
  type PlannedAction,
  type ReconcileInput,
  type ReconcileJob,
  reconcileJobs,
  type ReconcilePass,
} from "../../domain/engine/reconcile-pass.ts"
import { isEngineMismatch } from "../../engine/engine-guard.ts"
import type { ReconcileActivities } from "../contract/agent-activities.ts"
import { startStuckDeliveries } from "./start-stuck-deliveries.ts"
import { archiveEndedSessions } from "./archive-ended-sessions.ts"
import { cancelOrphans } from "./cancel-orphans.ts"
import { applyRetentionOf } from "./apply-retention.ts"
import { eraseDeletedSessions } from "./erase-deleted-sessions.ts"
import { currentPassId, isCancelled, type JobRun, pageSize } from "./job-run.ts"
import { type MendDependencies, mendOutcomes } from "./mend-outcomes.ts"
import { releaseExpiredBindings } from "./release-expired-bindings.ts"

type SnapshotOf = (hash: string) => Promise<RunSnapshot>
type Paging = Pick<JobRun, "pageSize">
type Work = (run: JobRun) => Promise<Partial<ReconcilePass>>

const emptyPass: ReconcilePass = {
  checked: 0,
  mended: 0,
  missing: 0,
  stopped: null,
  orphans: 0,
  suspects: 0,
  archived: 0,
  erased: 0,
  deliveries: 0,
  failed: [],
  planned: [],
}

const createJobs = (deps: MendDependencies, snapshotOf: SnapshotOf): Readonly<Record<ReconcileJob, Work>> => ({
  outcomes: (run) => mendOutcomes(deps, run),
  orphans: (run) => cancelOrphans(deps, run),
  bindings: async (run) => {
    await releaseExpiredBindings(deps, Date.now(), run)
    return {}
  },
  archive: async (run) => ({ archived: await archiveEndedSessions(deps.store, snapshotOf, Date.now(), run) }),
  erase: async (run) => ({ erased: await eraseDeletedSessions(deps, run) }),
  retention: async (run) => ({ pruned: await applyRetentionOf(deps, run) }),
  deliveries: async (run) => ({ deliveries: await startStuckDeliveries(deps, Date.now(), run) }),
})

/** One job after another; one that fails does not affect the others. */
const runJobs = async (
  deps: MendDependencies,
  snapshotOf: SnapshotOf,
  { dryRun = false, jobs: wanted = reconcileJobs, ...paging }: ReconcileInput & Paging,
): Promise<ReconcilePass> => {
  await deps.engine.verify()
  const jobs = createJobs(deps, snapshotOf)
  const common = { dryRun, pageSize: paging.pageSize, passId: currentPassId(), logger: deps.logger }
  const planned: PlannedAction[] = []
  const failed: ReconcileJob[] = []
  let pass = emptyPass
  for (const job of wanted) {
    const plan: JobRun["plan"] = (action) => {
      if (planned.length < maxPlannedActions) planned.push({ job, ...action })
    }
    try {
      pass = { ...pass, ...(await jobs[job]({ ...common, job, plan })) }
    } catch (error) {
      if (isEngineMismatch(error) || isCancelled()) throw error
      deps.logger.error({ err: error, job }, "a job of the reconciler failed: the next pass runs it again")
      failed.push(job)
    }
  }
  return { ...pass, failed, planned }
}

/**
 * Finishes what ended without running any code. Sessions that were terminated, timed out or lost show it; those that were recorded as lost and that
 * run are opened again; children whose parent's run is gone are cancelled; old sessions are archived; interrupted deletions are finished. In an engine
 * that the store does not belong to it does nothing.
 */
export const createReconcileSessions =
  (
    deps: MendDependencies,
    snapshotOf: SnapshotOf,
    paging: Paging = { pageSize },
  ): ReconcileActivities["reconcileSessions"] =>
  async (input = {}) => {
    try {
      return await runJobs(deps, snapshotOf, { ...input, ...paging })
    } catch (error) {
      if (!isEngineMismatch(error)) throw error
      deps.logger.error({ err: error }, "another Temporal answers: the reconciler does nothing")
      return { ...emptyPass, stopped: "other_engine" }
    }
  }
