import type { UserSource } from "../../contracts/message.ts"
import { titleOfInstruction } from "../../domain/session/title-of.ts"
import type { SessionRow, WritableStore } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** An instruction that starts a run, as it is stored before anything is signalled. */
export interface StoredInstruction {
  readonly id: string
  readonly sessionId: string
  readonly runId: string
  readonly source: UserSource
  readonly text: string
}

/**
 * Stores an instruction, and shows it at the end of the transcript from now on. The workflow assigns its final place with the first step.
 * Idempotent by message id and run.
 */
export const acceptInstruction = async (
  store: Pick<WritableStore, "inbox" | "messages">,
  { id, sessionId, runId, source, text }: StoredInstruction,
): Promise<void> => {
  await store.inbox.put({ id, sessionId, source, text })
  await store.messages.accept(sessionId, { runId, message: { role: "user", source, text } })
}

/** Returns the session with a title: its own, or one from the instruction that starts a run in it. */
export const withTitle = async (
  { store, redact }: Pick<SessionsContext, "store" | "redact">,
  row: SessionRow,
  text: string,
): Promise<SessionRow> => {
  if (row.title !== null) return row
  const title = titleOfInstruction(text, redact)
  await store.sessions.patch(row.id, { title })
  return { ...row, title }
}
