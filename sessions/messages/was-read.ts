import { queuedRunId, type SessionMessage } from "../../domain/messages/session-message.ts"
import type { Store } from "../../store/store.ts"
import { readLastRows } from "../outcome/read-last-text.ts"

/**
 * Returns whether a session that has ended has read a message: its run has begun, or its text is in the transcript since. The text alone would prove
 * nothing, since a sender may say the same twice.
 */
export const wasRead = async (
  store: Pick<Store, "runs" | "inbox" | "messages" | "sessions">,
  sessionId: string,
  message: Pick<SessionMessage, "id" | "new_run">,
): Promise<boolean> => {
  const run = await store.runs.get(queuedRunId(message))
  if (run !== undefined && run.status !== "pending") return true
  const [sent, session] = [await store.inbox.get(sessionId, message.id), await store.sessions.get(sessionId)]
  if (sent === undefined || session === undefined) return false
  const rows = await readLastRows(store, { sessionId, headSeq: session.headSeq })
  return rows.some(({ at, message: row }) => at >= sent.at && row.role === "user" && row.text.includes(sent.text))
}
