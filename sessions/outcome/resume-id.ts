import type { RunRow, Store } from "../../store/store.ts"

/** The id by which a session that is not paused can be resumed: its run's latest checkpoint, or the run's own id where it never paused. */
export const resumeIdOf = async (
  store: Pick<Store, "pauses">,
  run: Pick<RunRow, "runId" | "sessionId">,
): Promise<string> => {
  const pause = await store.pauses.latest(run.sessionId)
  return pause?.runId === run.runId ? pause.checkpointId : run.runId
}
