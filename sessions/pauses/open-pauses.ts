import type { PauseRow, SessionRow, Store } from "../../store/store.ts"

/** Returns the open pauses of some sessions of one tree, oldest first. */
export const openPausesOf = async (
  { pauses }: Pick<Store, "pauses">,
  sessions: readonly Pick<SessionRow, "id" | "rootId">[],
): Promise<readonly PauseRow[]> => {
  const rootId = sessions[0]?.rootId
  if (rootId === undefined) return []
  const ids = new Set(sessions.map(({ id }) => id))
  return (await pauses.listOpen({ rootId })).filter(({ sessionId }) => ids.has(sessionId))
}
