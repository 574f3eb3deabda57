import type { PauseRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"

/**
 * Records that a pause was answered, before the workflow itself records it. If the workflow has applied the answer, the pause is closed for everyone;
 * before that, only this client ignores it.
 */
export const recordAnsweredPause = async (
  context: SessionsContext,
  pause: Pick<PauseRow, "sessionId" | "checkpointId">,
  applied: boolean,
): Promise<void> => {
  if (applied) await context.store.pauses.close(pause.sessionId, pause.checkpointId)
  else context.answeredCheckpoints.add(pause.checkpointId)
}
