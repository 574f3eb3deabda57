import { spawnOptionsOf } from "../../domain/delegation/archive-due.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { dropDelivered } from "../../sessions/delivery/undelivered.ts"
import type { Store } from "../../store/store.ts"

/** Notes that a parent has the result of a child, and archives the child if it was spawned with `cleanup: delete`. */
export const noteReported = async (store: Pick<Store, "sessions" | "transaction">, childId: string): Promise<void> => {
  const child = await store.sessions.get(childId)
  if (child === undefined || child.runId === null) return
  if (isFinal(child.status)) await dropDelivered(store, child)
  const { cleanup, isBound } = spawnOptionsOf(child)
  if (cleanup === "delete" && !isBound) await store.sessions.archiveEnded({ id: child.id, runId: child.runId })
}
