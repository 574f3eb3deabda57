import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { sendUpdate } from "../../engine/send-update.ts"
import { auditedActor, type Actor } from "../actor.ts"
import { requireDirectoryAccess } from "../authority/require-authority.ts"
import { newMessageId } from "../session-id.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireSession } from "../rows/require-session.ts"

/**
 * Takes back a message that no run has read yet: steering before its safe point, or one that would begin the next run.
 * @throws AdjutantError `session_not_found forbidden message_not_queued temporal_unavailable`
 */
export const withdrawMessage = async (
  context: SessionsContext,
  { sessionId, messageId }: { readonly sessionId: string; readonly messageId: string },
  actor: Actor,
): Promise<void> => {
  const { store } = context
  const row = await requireSession(store, sessionId)
  await requireDirectoryAccess(actor, row)
  const found = await store.inbox.get(row.id, messageId)
  const result =
    found === undefined
      ? ({ kind: "gone" } as const)
      : await sendUpdate(context, {
          sessionId: row.id,
          name: "withdraw",
          id: newMessageId(),
          payload: { id: messageId },
        })
  if (result.kind === "gone")
    throw new AdjutantError("message_not_queued", `message ${messageId} is not queued in session ${row.id}`)
  if (result.kind === "no-answer")
    throw new AdjutantError(
      "temporal_unavailable",
      `no worker answers for session ${row.id}, so that its message ${messageId} may still be read: try again`,
    )
  await store.inbox.delete(row.id, messageId)
  const detail = { message_id: messageId }
  await store.audit.record({
    ...{ sessionId: row.id, runId: row.runId, action: "withdraw-message", ...auditedActor(actor), detail },
    key: `withdraw ${messageId}`,
  })
}
