import type { Session } from "../contracts/session.ts"
import type { ClientContext } from "./client-context.ts"
import { refreshSession } from "./refresh-session.ts"
import { requireSession } from "./require-session.ts"
import { sessionView } from "./session-view.ts"

/** One session, after asking the engine whether it still runs. */
export const info = async (context: ClientContext, sessionId: string): Promise<Session> => {
  const row = await refreshSession(context, await requireSession(context.store, sessionId))
  return await sessionView(context.store, row)
}
