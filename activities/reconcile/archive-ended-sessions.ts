import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isArchiveDue, spawnOptionsOf } from "../../domain/delegation/archive-due.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { EndedSession, Store } from "../../store/store.ts"

const parentIsOver = async (store: Pick<Store, "sessions">, { parentId }: EndedSession): Promise<boolean> => {
  if (parentId === null) return true
  const parent = await store.sessions.get(parentId)
  return parent === undefined || parent.deletedAt !== null || isFinal(parent.status)
}

/** Takes sessions out of the lists whose time has come. Answers how many. */
export const archiveEndedSessions = async (
  store: Pick<Store, "sessions" | "bindings">,
  snapshotOf: (hash: string) => Promise<RunSnapshot>,
  nowMs: number,
): Promise<number> => {
  let archived = 0
  const bound = new Set((await store.bindings.list()).map(({ sessionId }) => sessionId))
  for (const ended of await store.sessions.listEnded()) {
    const marks = spawnOptionsOf(ended)
    const { subagents } = await snapshotOf(ended.snapshotHash)
    const isDue = isArchiveDue({
      ...marks,
      isBound: bound.has(ended.id),
      endedAtMs: Date.parse(ended.endedAt),
      nowMs,
      archiveAfterMinutes: subagents.archiveAfterMinutes,
      parentIsOver: marks.cleanup === "delete" && (await parentIsOver(store, ended)),
    })
    if (isDue && (await store.sessions.archiveEnded(ended))) archived += 1
  }
  return archived
}
