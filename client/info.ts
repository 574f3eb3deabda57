import type { Session } from "../contracts/session.ts"
import type { ClientContext } from "./client-context.ts"
import { inspectSession } from "./inspect-session.ts"
import { requireSession } from "./require-session.ts"
import { sessionView } from "./session-view.ts"

/** One session, after asking the engine whether it still runs. Writes nothing. */
export const info = async (context: ClientContext, sessionId: string): Promise<Session> => {
  const { row, engineState } = await inspectSession(context, await requireSession(context.store, sessionId))
  return await sessionView(context.store, row, engineState)
}
