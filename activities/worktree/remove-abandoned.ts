import { isFinal } from "../../domain/run/is-final.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { endWorktree, type WorktreeDependencies } from "./close-worktree.ts"

/**
 * Ends the worktrees in this worker's data directory whose sessions have ended or were deleted without doing it: their worker was killed, or they were
 * terminated. What was changed in them is stored first. Returns how many there were.
 */
export const removeAbandonedWorktrees = async (
  deps: WorktreeDependencies & Pick<AgentDependencies, "dataDir" | "machine">,
): Promise<number> => {
  const { store, worktrees, logger } = deps
  let removed = 0
  for (const [path, { storeId, sessionId }] of await worktrees.list(deps.dataDir)) {
    if (storeId !== store.storeId) continue
    try {
      const session = await store.sessions.get(sessionId)
      const row = await store.worktrees.get(sessionId)
      // The data directory is shared: the worktree is in use on its own machine, whose processes are not seen here.
      if (row !== undefined && row.machine !== deps.machine.name) continue
      const isGone = session === undefined || session.deletedAt !== null
      if (!isGone && !isFinal(session.status)) continue
      if (isGone) await worktrees.remove(path)
      else await endWorktree(deps, { sessionId, runId: session.runId ?? "", path })
      removed += 1
      logger.info({ session_id: sessionId }, "removed the worktree of a session that has ended")
    } catch (error) {
      logger.warn(
        { session_id: sessionId, problem: errorMessage(error) },
        "a worktree could not be removed; trying again later",
      )
    }
  }
  return removed
}
