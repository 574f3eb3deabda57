import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isOfThread } from "../rows/is-of-thread.ts"
import { narrowChild } from "../settings/narrow-child.ts"
import { parentSnapshot } from "../settings/resolve-follow-up.ts"
import { withSubagentTools } from "../../domain/profiles/subagent-tools.ts"
import type { SessionMessage } from "../../domain/session/session-message.ts"
import type { SessionRow } from "../../store/store.ts"
import { requireSession } from "../rows/require-session.ts"
import type { SendRequest, Sent } from "../send-request.ts"
import { auditMessage } from "./audit-message.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { noteStartByHand } from "../delivery/report-by-hand.ts"
import { requireDeliveryRoom } from "../delivery/require-delivery-room.ts"
import { acceptInstruction, withTitle } from "./accept-instruction.ts"
import { newMessageId, runIdFor } from "../session-id.ts"
import { alreadyRunning, type OpenRun, requireStarter } from "./message-case.ts"
import { textFor } from "./text-for.ts"
import { startWorkflow } from "../../engine/start-workflow.ts"

/** Returns whether someone has named the session's model: else it is the one that the configuration names now. */
const isModelNamed = ({ internal, model }: Pick<SessionRow, "internal" | "model">): boolean =>
  internal["named_model"] === true && model !== "none"

/** Resolves the first run's settings: the session's agent, model and directory, the message's limits, within the parent's limits. */
const resolveFirstRun = async (
  context: SessionsContext,
  row: SessionRow,
  request: SendRequest,
): Promise<RunSnapshot> => {
  const { limits = {} } = request
  const model = limits.model ?? (isModelNamed(row) ? row.model : undefined)
  const { agent, cwd } = row
  const { text: prompt, actor } = request
  const isChild = row.parentId !== null
  const wanted = await context.resolveRun({
    ...limits,
    prompt,
    agent,
    cwd,
    model,
    actor,
    isChild,
    inThread: isOfThread(row),
  })
  const base = await parentSnapshot(context, row.parentId)
  return base === undefined ? wanted : narrowChild(base, withSubagentTools(wanted, base.subagents))
}

/** Refuses a run or checkpoint id, since the session has neither yet. */
const requireFresh = (row: SessionRow, request: SendRequest): void => {
  requireStarter(row, request)
  if (request.runId !== undefined)
    throw new AdjutantError(
      "run_mismatch",
      `session ${row.id} has no run yet, so it has no run ${request.runId}: omit the run id`,
    )
  if (request.checkpointId !== undefined)
    throw new AdjutantError("checkpoint_stale", `session ${row.id} has never paused: omit the checkpoint`)
}

/** Returns the open run that a first message meets whose own start did not count: another one started the run at the same time, or may have. */
const runOfAnother = async (
  { store }: SessionsContext,
  { sessionId, type, messageId: preset }: SendRequest,
  { messageId, isCertain }: { readonly messageId: string; readonly isCertain: boolean },
): Promise<OpenRun> => {
  const row = await requireSession(store, sessionId)
  // With a preset id, an earlier attempt may have started the run, as this one may have: its workflow knows the message.
  if (type === "message" && preset === undefined && isCertain) throw alreadyRunning(row, undefined)
  return { kind: "open_run", row, pause: await store.pauses.current(sessionId), messageId }
}

/**
 * Starts the first run of a session that was created without one. Returns the open run if another message has started it at the same time.
 * @throws AdjutantError of the resolution, `session_not_running` for steering, `run_mismatch`, `checkpoint_stale`, `session_already_running`,
 * `temporal_unavailable`
 */
export const startFirstRun = async (
  context: SessionsContext,
  row: SessionRow,
  request: SendRequest,
): Promise<Sent | OpenRun> => {
  requireFresh(row, request)
  await requireDeliveryRoom(context)
  const { store } = context
  const snapshot = await resolveFirstRun(context, row, request)
  const id = request.messageId ?? newMessageId()
  const run = { run_id: runIdFor({ messageId: id }), snapshot_hash: await store.snapshots.put(snapshot) }
  const message: SessionMessage = { id, type: request.type, source: "instruction", new_run: run }
  const text = textFor(snapshot, request.text, request.limits?.context)
  await store.inbox.put({ id, sessionId: row.id, source: message.source, text })
  const titled = await withTitle(context, row, request.text)
  const started = await startWorkflow(context, titled, { type: snapshot.type, run, message })
  if (started !== "started")
    return await runOfAnother(context, request, { messageId: id, isCertain: started === "exists" })
  await store.runs.create({ runId: run.run_id, sessionId: row.id, snapshotHash: run.snapshot_hash })
  await acceptInstruction(store, { ...message, sessionId: row.id, runId: run.run_id, text })
  // The workflow writes the same when a worker executes it.
  await store.runs.patchWithSession({
    ...{ sessionId: row.id, runId: run.run_id },
    session: { runId: run.run_id },
    shown: null,
  })
  await noteStartByHand(store, row, run.run_id)
  await auditMessage(context, request, {
    messageId: id,
    runId: run.run_id,
    settings: snapshot,
    settingsHash: run.snapshot_hash,
  })
  return { state: "accepted", runId: run.run_id, effect: "started" }
}
