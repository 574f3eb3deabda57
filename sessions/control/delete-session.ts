import { setTimeout as delay } from "node:timers/promises"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionRow } from "../../store/store.ts"
import { type Actor, auditedActor } from "../actor.ts"
import { callEngine } from "../../engine/call-engine.ts"
import { pollDelaysMs } from "./poll-delays.ts"
import { requestCancel, requireWorkerToCancel } from "./cancel.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { deleteOfSession } from "./prune.ts"
import { describeSession } from "../../engine/describe-execution.ts"
import { requireSession } from "../rows/require-session.ts"
import { descendantsOf } from "../rows/session-tree.ts"

/** Waits until the execution is closed. If no worker closes it in time, terminates it: later writes of a deleted session are ignored anyway. */
const waitUntilClosed = async (context: SessionsContext, sessionId: string): Promise<void> => {
  const until = Date.now() + context.timing.cancelWaitMs
  for (const waitMs of pollDelaysMs()) {
    if (Date.now() >= until) break
    const execution = await describeSession(context, sessionId)
    if (execution !== undefined && execution.status !== "running") return
    await delay(waitMs)
  }
  const handle = context.temporal.workflow.getHandle(sessionWorkflowId(sessionId))
  await callEngine(context, () => handle.terminate("the session was deleted"))
}

/** Logs a failure of the engine instead of throwing it: the store's texts are erased regardless of what the engine keeps. */
const warnOnFailure = async (context: SessionsContext, sessionId: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    context.logger.warn(
      { session_id: sessionId, error },
      "Temporal keeps data of a deleted session until its retention period ends",
    )
  }
}

const hasRun = (row: SessionRow): boolean => row.runId !== null

/** Cancels sessions, marks them as deleted, and waits until they have closed. */
const closeDeleted = async (
  context: SessionsContext,
  sessions: readonly SessionRow[],
  { root, actor }: { readonly root: string; readonly actor: Actor },
): Promise<void> => {
  const { store } = context
  const open = sessions.filter((each) => hasRun(each) && !isFinal(each.status))
  for (const each of open) await requestCancel(context, each.id)
  if (open.length > 0)
    await requireWorkerToCancel(context).catch((error: unknown) =>
      context.logger.warn(
        { session_id: root, error },
        "no worker runs to close the deleted sessions: they are terminated",
      ),
    )
  for (const { id, runId } of sessions) {
    await store.audit.record({ sessionId: id, runId, action: "delete", ...auditedActor(actor), detail: { root } })
    await store.sessions.markDeleted(id)
  }
  for (const each of sessions)
    if (hasRun(each)) await warnOnFailure(context, each.id, () => waitUntilClosed(context, each.id))
}

/**
 * Cancels the session and everything below it, marks them as deleted, waits until they have ended and erases their texts. The audit log remains.
 * @throws AdjutantError `session_not_found`; `temporal_unavailable` and `engine_mismatch` before anything is changed
 */
export const deleteSession = async (context: SessionsContext, sessionId: string, actor: Actor): Promise<void> => {
  const { store } = context
  const request = <T>(call: () => Promise<T>): Promise<T> => callEngine(context, call)
  const before = await store.sessions.get(sessionId)
  // An earlier deletion may have been interrupted.
  if (before !== undefined && before.deletedAt !== null) await store.sessions.erase(sessionId)
  const row = await requireSession(store, sessionId)
  await context.engine.verify()
  const targets: SessionRow[] = []
  // Until its cancel arrives, a session can start others below it: looked for again when those before have closed.
  for (let found = [row, ...(await descendantsOf(store, row))]; found.length > 0;) {
    targets.push(...found)
    await closeDeleted(context, found, { root: row.id, actor })
    const known = targets.map(({ id }) => id)
    found = (await descendantsOf(store, row, known)).filter(({ id }) => !known.includes(id))
  }
  for (const each of targets)
    if (hasRun(each)) await warnOnFailure(context, each.id, () => deleteOfSession({ ...context, request }, each.id))
  for (const { id } of targets) await store.sessions.erase(id)
}
