import { ApplicationFailure } from "@temporalio/activity"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { Store } from "../../store/store.ts"

const keptSnapshots = 200

/** Snapshots never change under their hash, so a worker keeps the last ones that it used. */
export const createSnapshotCache = (store: Pick<Store, "snapshots">): ((hash: string) => Promise<RunSnapshot>) => {
  const kept = new Map<string, RunSnapshot>()
  return async (hash) => {
    const known = kept.get(hash)
    if (known !== undefined) return known
    const snapshot = await store.snapshots.get(hash)
    if (snapshot === undefined)
      throw ApplicationFailure.nonRetryable(
        `the run's settings (${hash.slice(0, 12)}) are not in the store: was it replaced?`,
        "storage_failed",
      )
    kept.set(hash, snapshot)
    for (const oldest of kept.keys()) {
      if (kept.size <= keptSnapshots) break
      kept.delete(oldest)
    }
    return snapshot
  }
}
