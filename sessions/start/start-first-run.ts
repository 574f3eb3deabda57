import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { narrowChild } from "../settings/narrow-child.ts"
import { withSubagentTools } from "../../domain/tools/subagent-tools.ts"
import type { RunReference, SessionMessage } from "../../domain/messages/session-message.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SendRequest, Sent } from "../messages/send-request.ts"
import { agentWorkflowType } from "../../domain/engine/engine-names.ts"
import { auditMessage } from "../messages/audit-message.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireDeliveryRoom } from "../delivery/require-delivery-room.ts"
import { parentSnapshot } from "./create-session.ts"
import { newMessageId, newRunId, runIdOfMessage } from "../session-id.ts"
import { startWorkflow } from "../../engine/start-workflow.ts"

/** The session's agent, model and directory, with what the message asks for, under the parent's limits. */
const resolveFirstRun = async (
  context: SessionsContext,
  row: SessionRow,
  request: SendRequest,
): Promise<RunSnapshot> => {
  const { limits = {} } = request
  const model = limits.model ?? (row.model === "none" ? undefined : row.model)
  const wanted = await context.resolveRun(
    context.loaded,
    { ...limits, prompt: request.text, agent: row.agent, cwd: row.cwd, model, actor: request.actor },
    context.env,
  )
  const base = await parentSnapshot(context, row.parentId)
  return base === undefined ? wanted : narrowChild(base, withSubagentTools(wanted, base.subagents))
}

/** Nothing of a session without a run can be addressed. */
const requireFresh = (row: SessionRow, request: SendRequest): void => {
  if (request.type === "steering")
    throw new AdjutantError(
      "session_not_running",
      `nothing runs in session ${row.id}: send it a message to start a run`,
    )
  if (request.runId !== undefined)
    throw new AdjutantError(
      "run_mismatch",
      `session ${row.id} has no run yet, and none named ${request.runId}: leave it out`,
    )
  if (request.checkpointId !== undefined)
    throw new AdjutantError("checkpoint_stale", `session ${row.id} has never paused: leave the checkpoint out`)
}

/**
 * Starts the first run of a session that was created without one; undefined when somebody else's message did at the same moment.
 * @throws AdjutantError of the resolution, `session_not_running` for steering, `run_mismatch`, `checkpoint_stale`, `temporal_unavailable`
 */
export const startFirstRun = async (
  context: SessionsContext,
  row: SessionRow,
  request: SendRequest,
): Promise<Sent | undefined> => {
  requireFresh(row, request)
  await requireDeliveryRoom(context)
  const { store } = context
  const snapshot = await resolveFirstRun(context, row, request)
  const id = request.messageId ?? newMessageId()
  const run: RunReference = {
    run_id: request.messageId === undefined ? newRunId() : runIdOfMessage(id),
    snapshot_hash: await store.snapshots.put(snapshot),
  }
  const message: SessionMessage = { id, type: request.type, source: "instruction", new_run: run }
  await store.inbox.put({ id, sessionId: row.id, source: message.source, text: request.text })
  const started = await startWorkflow(context, row, {
    workflowType: agentWorkflowType(snapshot.type),
    input: {
      session_id: row.id,
      run,
      message,
      has_search_attributes: context.hasSearchAttributes,
      ...(request.hostQueue === undefined ? {} : { host_queue: request.hostQueue }),
    },
  })
  if (!started) return undefined
  await store.runs.create({ runId: run.run_id, sessionId: row.id, snapshotHash: run.snapshot_hash })
  // The workflow writes the same as soon as a worker takes it.
  if ((await store.sessions.get(row.id))?.runId === null) await store.sessions.patch(row.id, { runId: run.run_id })
  await auditMessage(store, request, { messageId: id, runId: run.run_id })
  return { state: "accepted", runId: run.run_id }
}
