import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { queuedMessages } from "./queued-messages.ts"
import { inspectSession } from "../engine/inspect-session.ts"
import { requireSession } from "../rows/require-session.ts"
import { sessionDetail } from "./session-detail.ts"

/** Returns a session, after asking the engine whether it is still running, and with the messages that it has not read yet. Writes nothing. */
export const info = async (context: SessionsContext, sessionId: string): Promise<SessionDetail> => {
  const { row, ...engine } = await inspectSession(context, await requireSession(context.store, sessionId))
  const detail = await sessionDetail(context, row, engine)
  return { ...detail, queued_messages: [...(await queuedMessages(context, row))] }
}
