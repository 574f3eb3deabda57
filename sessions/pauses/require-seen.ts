import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { PauseRow, Store } from "../../store/store.ts"
import type { SeenPause } from "../decide-request.ts"

/** Accepted difference between the clock of the author's system and this one. */
const clockSkewMs = 60_000

/**
 * Refuses what names no checkpoint and whose author may have seen another pause than the open one: the open pause opened afterwards. Because clocks
 * differ, that alone proves nothing within a minute; it does if another pause was open then, or opened since.
 *
 * @throws AdjutantError `checkpoint_stale`
 */
export const requireSeen = async (
  store: Pick<Store, "pauses">,
  { checkpointId, seenAtMs }: SeenPause,
  pause: PauseRow,
): Promise<void> => {
  if (checkpointId !== undefined || seenAtMs === undefined) return
  const openedMs = Date.parse(pause.openedAt)
  if (openedMs <= seenAtMs) return
  if (openedMs <= seenAtMs + clockSkewMs && !(await wasOtherOpen(store, pause.sessionId, seenAtMs))) return
  throw new AdjutantError(
    "checkpoint_stale",
    `the current pause may have opened after this was written: look at it, and name its checkpoint ${pause.checkpointId}`,
  )
}

const wasOtherOpen = async (store: Pick<Store, "pauses">, sessionId: string, atMs: number): Promise<boolean> => {
  const before = await store.pauses.latestClosed(sessionId)
  return before !== undefined && before.closedAt !== null && Date.parse(before.closedAt) >= atMs
}
