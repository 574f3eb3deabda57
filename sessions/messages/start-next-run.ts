import type { SessionRow } from "../../store/store.ts"
import type { SendRequest, Sent } from "../send-request.ts"
import { requireStarter } from "./message-case.ts"
import { acceptInstruction, withTitle } from "./accept-instruction.ts"
import { noteStartByHand } from "../delivery/report-by-hand.ts"
import { agentWorkflowType, sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { agentInput, agentStartOptions, type RunStart } from "../../engine/session-start-options.ts"
import { auditMessage } from "./audit-message.ts"
import { requestWork } from "../../engine/call-engine.ts"
import { startVerified } from "../../engine/start-verified.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { resolveFollowUp } from "../settings/resolve-follow-up.ts"
import { resumeIdOf } from "../pauses/resume-id.ts"
import { signMessage } from "./sign-message.ts"
import { senderApproval } from "../authority/sender-approval.ts"
import { hasArrived } from "./was-read.ts"
import { newMessageId, runIdFor } from "../session-id.ts"
import { isTemporalUnavailable } from "../../engine/translate-temporal-error.ts"
import { textFor } from "./text-for.ts"
import { staleCheckpoint } from "../../domain/caller/missing-targets.ts"

/** Requires that the checkpoint is the latest pause or run, which has not been resumed yet. */
const requireLatestCheckpoint = async (
  context: SessionsContext,
  row: SessionRow,
  request: SendRequest,
): Promise<void> => {
  const { checkpointId } = request
  if (checkpointId === undefined || row.runId === null || checkpointId === row.runId) return
  if (checkpointId !== (await resumeIdOf(context.store, { runId: row.runId, sessionId: row.id })))
    throw staleCheckpoint(checkpointId, row.id)
}

/** Signals the execution, and starts one if it is closed; works in the same way while it is closing or was opened again. */
const signalWithStart = (context: SessionsContext, row: SessionRow, start: RunStart): Promise<unknown> =>
  requestWork(context, () =>
    startVerified(context, sessionWorkflowId(row.id), () =>
      context.temporal.workflow.signalWithStart(agentWorkflowType(start.type), {
        ...agentStartOptions(context, row, agentInput(context, row.id, start)),
        signal: "inbox",
        signalArgs: [start.message],
        workflowIdReusePolicy: "ALLOW_DUPLICATE",
      }),
    ),
  )

/**
 * Shows the new run in the session's row before the workflow opens it, so that a waiting client does not take the old outcome for the new one. Another
 * message that came at the same time may show its own there: then the row stays.
 */
const showPending = async ({ store }: SessionsContext, row: SessionRow, runId: string): Promise<void> => {
  if (row.archivedAt !== null) await store.sessions.archive(row.id, null)
  const session = { status: "pending", runId, stopReason: null, finalMessage: null, error: null } as const
  await store.runs.patchWithSession({ sessionId: row.id, runId, session, from: ["pending"], shown: row.runId })
}

/** Withdraws a run that was not started: the session's row becomes what it was, unless another run is shown there. */
const withdrawRun = async ({ store }: SessionsContext, row: SessionRow, runId: string): Promise<void> => {
  await store.messages.withdraw(row.id, runId)
  const { status, stopReason, finalMessage, error } = row
  const session = { status, runId: row.runId, stopReason, finalMessage, error }
  const isBack = await store.runs.patchWithSession({ sessionId: row.id, runId, session, from: ["pending"] })
  if (isBack && row.archivedAt !== null) await store.sessions.archive(row.id, row.archivedAt)
}

/**
 * Starts the next run of a session whose latest run is final. Idempotent by message id: a repeated message starts one run.
 * @throws AdjutantError `session_not_running` for steering, `checkpoint_stale`, `limit_widened`, `temporal_unavailable`
 */
export const startNextRun = async (context: SessionsContext, row: SessionRow, request: SendRequest): Promise<Sent> => {
  const { store } = context
  requireStarter(row, request)
  await requireLatestCheckpoint(context, row, request)
  const snapshot = await resolveFollowUp(context, row, request)
  const snapshotHash = await store.snapshots.put(snapshot)
  const run = { run_id: runIdFor(request), snapshot_hash: snapshotHash }
  const before = await store.runs.get(run.run_id)
  if (before !== undefined && before.status !== "pending")
    return { state: "accepted", runId: run.run_id, effect: "started" }
  const message = await signMessage(store, row.id, {
    id: request.messageId ?? newMessageId(),
    type: request.type,
    source: request.type === "message" ? "instruction" : "follow_up",
    new_run: run,
    ...(row.runId === null ? {} : { after_run: row.runId }),
    ...senderApproval(request.actor),
  })
  await store.runs.create({ runId: run.run_id, sessionId: row.id, snapshotHash })
  const text = textFor(snapshot, request.text, request.limits?.context)
  await acceptInstruction(store, { ...message, sessionId: row.id, runId: run.run_id, text })
  await noteStartByHand(store, row, run.run_id)
  await auditMessage(context, request, {
    messageId: message.id,
    runId: run.run_id,
    settings: snapshot,
    settingsHash: snapshotHash,
  })
  await showPending(context, row, run.run_id)
  const start: RunStart = { type: snapshot.type, run, message }
  try {
    await signalWithStart(context, await withTitle(context, row, request.text), start)
  } catch (error) {
    if (!isTemporalUnavailable(error) || !(await hasArrived(context, row.id, start))) {
      await withdrawRun(context, row, run.run_id)
      throw error
    }
  }
  return { state: "accepted", runId: run.run_id, effect: "started" }
}
