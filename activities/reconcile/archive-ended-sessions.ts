import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isArchiveDue, isSubagentSession, spawnOptionsOf } from "../../domain/delegation/archive-due.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { EndedSession, Store } from "../../store/store.ts"
import { eachPage, type JobRun, quietRun, tryRow } from "./job-run.ts"

type ArchiveStore = Pick<Store, "sessions" | "bindings" | "reconciler">

const parentIsOver = async (store: ArchiveStore, { parentId }: EndedSession): Promise<boolean> => {
  if (parentId === null) return true
  const parent = await store.sessions.get(parentId)
  return parent === undefined || parent.deletedAt !== null || isFinal(parent.status)
}

interface ArchiveFacts {
  readonly snapshotOf: (hash: string) => Promise<RunSnapshot>
  readonly nowMs: number
  readonly isBound: boolean
}

const isDue = async (
  store: ArchiveStore,
  ended: EndedSession,
  { snapshotOf, nowMs, isBound }: ArchiveFacts,
): Promise<boolean> => {
  const marks = spawnOptionsOf(ended)
  const { subagents } = await snapshotOf(ended.snapshotHash)
  return isArchiveDue({
    ...marks,
    isBound,
    endedAtMs: Date.parse(ended.endedAt),
    nowMs,
    archiveAfterMinutes: subagents.archiveAfterMinutes,
    isKept: !subagents.archiveRoots && !isSubagentSession(ended),
    parentIsOver: marks.cleanup === "delete" && (await parentIsOver(store, ended)),
  })
}

/** Archives the sessions that are due. Returns how many. */
export const archiveEndedSessions = async (
  store: ArchiveStore,
  snapshotOf: (hash: string) => Promise<RunSnapshot>,
  nowMs: number,
  run: JobRun = quietRun("archive"),
): Promise<number> => {
  let archived = 0
  const bound = new Set((await store.bindings.list()).map(({ sessionId }) => sessionId))
  const archive = async (ended: EndedSession): Promise<boolean> => {
    if (!(await isDue(store, ended, { snapshotOf, nowMs, isBound: bound.has(ended.id) }))) return false
    if (run.dryRun) run.plan({ id: ended.id, action: "archive" })
    return run.dryRun || (await store.sessions.archiveEnded(ended))
  }
  await eachPage(store, run, {
    list: (page) => store.sessions.listEnded(page),
    work: async (rows) => {
      for (const ended of rows) if ((await tryRow(run, ended.id, () => archive(ended))) === true) archived += 1
    },
  })
  return archived
}
