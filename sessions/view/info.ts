import type { Session } from "../../contracts/session.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { inspectSession } from "../reconcile/inspect-session.ts"
import { requireSession } from "./require-session.ts"
import { sessionView } from "./session-view.ts"

/** Returns a session, after asking the engine whether it is still running. Writes nothing. */
export const info = async (context: SessionsContext, sessionId: string): Promise<Session> => {
  const { row, engineState } = await inspectSession(context, await requireSession(context.store, sessionId))
  return await sessionView(context.store, row, engineState)
}
