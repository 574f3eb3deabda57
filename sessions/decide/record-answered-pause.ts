import type { PauseRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"

/**
 * The pause is answered, though the workflow's own record of it comes a moment later. Once the workflow has taken the answer, the pause is closed for
 * everybody; before that, only this client looks past it.
 */
export const recordAnsweredPause = async (
  context: SessionsContext,
  pause: Pick<PauseRow, "sessionId" | "checkpointId">,
  applied: boolean,
): Promise<void> => {
  if (applied) await context.store.pauses.close(pause.sessionId, pause.checkpointId)
  else context.answeredCheckpoints.add(pause.checkpointId)
}
