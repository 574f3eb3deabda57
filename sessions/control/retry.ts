import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Status } from "../../contracts/status.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { requestWork } from "../../engine/call-engine.ts"
import { isExecutionGone } from "../../engine/translate-temporal-error.ts"
import { type Actor, auditedActor } from "../actor.ts"
import { requireDirectoryAccess } from "../authority/require-authority.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { signControl } from "../messages/sign-control.ts"
import { requireDirectory } from "../rows/session-place.ts"
import { newMessageId } from "../session-id.ts"
import { requireSession } from "../rows/require-session.ts"

const notWaiting = (sessionId: string): AdjutantError =>
  new AdjutantError("session_not_running", `session ${sessionId} does not wait for a provider`, {
    reason: { about: "state", task_id: sessionId },
  })

/**
 * Lets a session whose provider is unavailable call the model now instead of after its current wait.
 * @throws AdjutantError `session_not_found`, `forbidden`, `session_not_running` if it does not wait for a provider, `temporal_unavailable`
 */
export const retry = async (
  context: SessionsContext,
  sessionId: string,
  actor: Actor,
): Promise<{ readonly status: Status }> => {
  const { store, temporal } = context
  const row = await requireSession(store, sessionId)
  await requireDirectoryAccess(actor, row)
  const waits = row.blockedBy?.type === "provider_unavailable" || row.blockedBy?.type === "missing_key"
  if (isFinal(row.status) || !waits) throw notWaiting(sessionId)
  await requireDirectory(context, row)
  await store.audit.record({ sessionId, runId: row.runId, action: "retry", ...auditedActor(actor), detail: {} })
  const id = newMessageId()
  const payload = { id, signature: await signControl(store, { name: "retry", sessionId, id }) }
  const handle = temporal.workflow.getHandle(sessionWorkflowId(sessionId))
  try {
    await requestWork(context, () => handle.signal("retry", payload))
  } catch (error) {
    throw isExecutionGone(error) ? notWaiting(sessionId) : error
  }
  return { status: row.status }
}
