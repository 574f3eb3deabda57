import { ApplicationFailure } from "@temporalio/activity"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { withWorkerPolicy, type WorkerPolicy } from "../../domain/approval/worker-policy.ts"
import type { Store } from "../../store/store.ts"

const keptSnapshots = 200

/**
 * Returns the settings of runs by hash, as far as the worker's own configuration allows. They never change under their hash, so that a worker keeps the
 * last ones that it used.
 */
export const createSnapshotCache = (
  store: Pick<Store, "snapshots">,
  workerPolicy?: WorkerPolicy,
): ((hash: string) => Promise<RunSnapshot>) => {
  const kept = new Map<string, RunSnapshot>()
  return async (hash) => {
    const known = kept.get(hash)
    if (known !== undefined) return known
    const stored = await store.snapshots.get(hash)
    if (stored === undefined)
      throw ApplicationFailure.nonRetryable(
        `the run's settings (${hash.slice(0, 12)}) are not in the store: was it replaced?`,
        "storage_failed",
      )
    const snapshot = withWorkerPolicy(stored, workerPolicy)
    kept.set(hash, snapshot)
    for (const oldest of kept.keys()) {
      if (kept.size <= keptSnapshots) break
      kept.delete(oldest)
    }
    return snapshot
  }
}
