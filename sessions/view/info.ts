import type { SessionDetail } from "../../contracts/session-detail.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { inspectSession } from "../reconcile/inspect-session.ts"
import { requireSession } from "./require-session.ts"
import { sessionDetail } from "./session-detail.ts"

/** Returns a session, after asking the engine whether it is still running. Writes nothing. */
export const info = async (context: SessionsContext, sessionId: string): Promise<SessionDetail> => {
  const { row, engineState } = await inspectSession(context, await requireSession(context.store, sessionId))
  return await sessionDetail(context, row, engineState)
}
