import { queuedRunId } from "../../domain/session/session-message.ts"
import type { SessionRow } from "../../store/store.ts"
import { withRefusalAudited } from "../audit/audit-refusal.ts"
import { requireDirectoryAccess } from "../authority/require-authority.ts"
import { questionOfTree } from "../pauses/question-of-tree.ts"
import { isTreeCheckpoint } from "../pauses/tree-pause.ts"
import { reconcileSession } from "../reconcile/reconcile-session.ts"
import { requireSession } from "../rows/require-session.ts"
import type { SendRequest, Sent } from "../send-request.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireKnownOptions } from "../settings/require-known-options.ts"
import { bringHeld, dropHeld } from "./admit-message.ts"
import { asksForInput, caseOfMessage, type LateMessage, type MessageCase, type NextRun } from "./message-case.ts"
import { sendToOpenRun } from "./send-to-open-run.ts"
import { startFirstRun } from "./start-first-run.ts"
import { startNextRun } from "./start-next-run.ts"
import { wasRead } from "./was-read.ts"

/**
 * Sends a text to a session: to its current run, or to start the next one. The text is stored before anything is signalled.
 * @throws AdjutantError `session_not_found forbidden invalid_argument run_mismatch checkpoint_stale session_already_running session_not_running limit_widened
 * session_missing temporal_unavailable engine_mismatch`
 */
export const sendMessage = (context: SessionsContext, request: SendRequest): Promise<Sent> => {
  const { sessionId, checkpointId, type, actor } = request
  if (checkpointId !== undefined && isTreeCheckpoint(checkpointId)) return answerInTree(context, request)
  const detail = { type, ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }) }
  const asked = { sessionId, action: "message-refused", actor, detail }
  return withRefusalAudited(context.store, asked, () => sendWithHeld(context, request))
}

/** Sends an answer to the only question that a checkpoint of a tree showed. */
const answerInTree = async (context: SessionsContext, request: SendRequest): Promise<Sent> => {
  const question = await questionOfTree(context.store, request)
  const { runId: _, ...rest } = request
  const { sessionId, checkpointId } = question
  const sent = await sendMessage(context, { ...rest, sessionId, checkpointId })
  const { runId } = await requireSession(context.store, request.sessionId)
  return { ...sent, runId: runId ?? sent.runId }
}

/** Sends a text, with those of its thread that wait for the next run, if it can begin one. */
const sendWithHeld = async (context: SessionsContext, request: SendRequest): Promise<Sent> => {
  const { store } = context
  requireKnownOptions(request.limits ?? {})
  const row = await requireSession(store, request.sessionId)
  await requireDirectoryAccess(request.actor, row)
  const { text, brought } = await bringHeld(store, row, request.text)
  const bringsNothing = request.type === "steering" || brought.length === 0
  if (bringsNothing || asksForInput(await store.pauses.current(row.id))) return await send(context, row, request)
  const sent = await send(context, row, { ...request, text })
  await dropHeld(store, row.id, brought)
  return sent
}

/** A session changes while a message is on its way. The message is then sent as the case requires that it meets instead. */
const send = async (context: SessionsContext, row: SessionRow, request: SendRequest): Promise<Sent> => {
  let next = await caseOfMessage(context, row, request)
  while ("kind" in next) next = await sendInCase(context, request, next)
  return next
}

const sendInCase = async (
  context: SessionsContext,
  request: SendRequest,
  met: MessageCase,
): Promise<Sent | MessageCase> => {
  switch (met.kind) {
    case "first_run":
      return await startFirstRun(context, met.row, request)
    case "next_run":
      return await startNextRun(context, met.row, { ...request, messageId: met.messageId ?? request.messageId })
    case "open_run":
      return await sendToOpenRun(context, request, met)
    case "late_message":
      return await settleLate(context, met)
  }
}

/** Returns what became of a message whose run has ended meanwhile: the run has read it, and only the answer was lost, or it starts the next run. */
const settleLate = async (
  context: SessionsContext,
  { row: before, message, effect }: LateMessage,
): Promise<Sent | NextRun> => {
  const { row, problem } = await reconcileSession(context, await requireSession(context.store, before.id))
  if (problem !== undefined) throw problem
  if (!(await wasRead(context.store, row.id, message))) return { kind: "next_run", row, messageId: message.id }
  const runId = effect === "queued" ? queuedRunId(message) : (before.runId ?? "")
  return { state: "applied", runId, ...(effect === undefined ? {} : { effect }) }
}
