import { spawnOptionsOf } from "../../domain/delegation/archive-due.ts"
import type { Store } from "../../store/store.ts"

/** Archives a child whose result its parent has, if it was spawned with `cleanup: delete`. */
export const archiveReported = async (store: Pick<Store, "sessions">, childId: string): Promise<void> => {
  const child = await store.sessions.get(childId)
  if (child === undefined || child.runId === null) return
  const { cleanup, isBound } = spawnOptionsOf(child)
  if (cleanup === "delete" && !isBound) await store.sessions.archiveEnded({ id: child.id, runId: child.runId })
}
