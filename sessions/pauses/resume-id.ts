import type { RunRow, Store } from "../../store/store.ts"

/** Returns the id to resume a session that is not paused: its run's latest checkpoint, or the run's id if it never paused. */
export const resumeIdOf = async (
  store: Pick<Store, "pauses">,
  run: Pick<RunRow, "runId" | "sessionId">,
): Promise<string> => {
  const pause = await store.pauses.latest(run.sessionId)
  return pause?.runId === run.runId ? pause.checkpointId : run.runId
}
