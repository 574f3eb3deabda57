import { withShortDeadline } from "../../engine/describe-execution.ts"
import { sendSignal } from "../../engine/send-update.ts"
import type { RunStart } from "../../engine/session-start-options.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { queuedRunId, type SessionMessage } from "../../domain/session/session-message.ts"
import type { Store } from "../../store/store.ts"
import { readLastRows } from "../rows/read-last-text.ts"

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

/**
 * Settles a delivery whose answer was lost: sends the message again under its id, which an execution that has it ignores. That something runs proves
 * nothing, since another message may have started it; where nothing runs, only the state of the message's own run shows that it arrived.
 */
export const hasArrived = async (
  context: SessionsContext,
  sessionId: string,
  { run, message }: Pick<RunStart, "run" | "message">,
): Promise<boolean> => {
  const signal = { sessionId, name: "inbox", payload: message } as const
  if (await sendSignal(withShortDeadline(context), signal).catch(() => false)) return true
  const started = await context.store.runs.get(run.run_id)
  return started !== undefined && started.status !== "pending"
}
