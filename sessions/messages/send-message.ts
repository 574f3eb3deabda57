import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { UserSource } from "../../contracts/message.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { queuedRunId, type SessionMessage } from "../../domain/session/session-message.ts"
import type { PauseRow, RunRow, SessionRow } from "../../store/store.ts"
import type { SendRequest, Sent } from "../send-request.ts"
import { bringHeld, dropHeld } from "./admit-message.ts"
import { withRefusalAudited } from "../audit/audit-refusal.ts"
import { auditMessage } from "./audit-message.ts"
import { budgetRaise } from "./budget-raise.ts"
import { textFor } from "./text-for.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { questionOf } from "../pauses/question-of-tree.ts"
import { isTreeCheckpoint } from "../pauses/tree-pause.ts"
import { requireSeen } from "../pauses/require-seen.ts"
import { recordAnsweredPause } from "../pauses/record-answered-pause.ts"
import { reconcileSession } from "../reconcile/reconcile-session.ts"
import { requireDirectoryAccess } from "../authority/require-authority.ts"
import { requireRun, requireSession } from "../rows/require-session.ts"
import { staleCheckpoint } from "../../domain/caller/missing-targets.ts"
import { latestSnapshot, resolveFollowUp } from "../settings/resolve-follow-up.ts"
import { sendUpdateOrSignal } from "../../engine/send-update.ts"
import { signMessage } from "./sign-message.ts"
import { senderApproval } from "../authority/sender-approval.ts"
import { newMessageId, runIdFor } from "../session-id.ts"
import { wasRead } from "./was-read.ts"
import { startFirstRun } from "./start-first-run.ts"
import { requireKnownOptions } from "../settings/require-known-options.ts"
import { requireDirectory } from "../rows/session-place.ts"
import { startNextRun } from "./start-next-run.ts"

const asksForInput = (pause: PauseRow | undefined): pause is PauseRow => pause?.type === "input_required"

/**
 * Returns the run that the message starts if the current one ends before it reads the message; only for a message with limits. Wider limits are
 * refused in any state of the session.
 */
const ownRun = async (
  context: SessionsContext,
  row: SessionRow,
  own: Pick<SendRequest, "actor" | "limits"> & { readonly id: string },
): Promise<Pick<SessionMessage, "new_run">> => {
  const named = Object.values(own.limits ?? {}).some((value) => value !== undefined)
  if (!named) return {}
  const snapshot = await resolveFollowUp(context, row, own)
  return { new_run: { run_id: `run_${own.id}`, snapshot_hash: await context.store.snapshots.put(snapshot) } }
}

const withoutBudget = (limits: SendRequest["limits"]): SendRequest["limits"] =>
  limits === undefined ? undefined : { ...limits, budget_usd: undefined, budget_tokens: undefined }

const sourceOf = (request: SendRequest, answers: boolean): UserSource => {
  if (request.type === "steering") return "steering"
  return answers ? "input" : "follow_up"
}

const effects: Partial<Readonly<Record<UserSource, Sent["effect"]>>> = {
  input: "answered",
  follow_up: "queued",
  steering: "steered",
}

/** Returns the checkpoint of an answer, so that it does not apply to a later pause. */
const checkpointOf = (request: SendRequest, answered: PauseRow | undefined): Pick<SessionMessage, "checkpoint_id"> => {
  const checkpointId = request.checkpointId ?? answered?.checkpointId
  return checkpointId === undefined ? {} : { checkpoint_id: checkpointId }
}

const messageFor = async (
  context: SessionsContext,
  request: SendRequest,
  open: { readonly row: SessionRow; readonly pause: PauseRow | undefined },
): Promise<SessionMessage> => {
  const id = request.messageId ?? newMessageId()
  const answers = asksForInput(open.pause) && request.type !== "steering"
  const limits = answers ? withoutBudget(request.limits) : request.limits
  return await signMessage(context.store, open.row.id, {
    id,
    type: request.type,
    source: sourceOf(request, answers),
    ...(request.runId === undefined ? {} : { run_id: request.runId }),
    ...(request.isInThread === true ? { in_thread: true } : {}),
    ...checkpointOf(request, answers ? open.pause : undefined),
    ...(answers ? await budgetRaise(context, open.row, request) : {}),
    ...(await ownRun(context, open.row, { id, limits, actor: request.actor })),
    ...senderApproval(request.actor),
  })
}

/** Returns true if the message ends the pause: it is the answer, or steering, after which the pending calls are skipped. */
const endsPause = (request: SendRequest, pause: PauseRow | undefined): pause is PauseRow =>
  pause !== undefined && (request.type === "steering" || asksForInput(pause))

/** Puts the context of a message for a model into its text; a program gets it with the settings of the run that the message starts. */
const withContextInText = async (
  context: SessionsContext,
  request: SendRequest,
  row: SessionRow,
): Promise<SendRequest> => {
  const { text, limits } = request
  if (limits?.context === undefined) return request
  const snapshot = await latestSnapshot(context, row)
  if (snapshot.type !== "llm") return request
  return { ...request, text: textFor(snapshot, text, limits.context), limits: { ...limits, context: undefined } }
}

const sendToOpen = async (
  context: SessionsContext,
  given: SendRequest,
  open: { readonly row: SessionRow; readonly pause: PauseRow | undefined },
): Promise<Sent> => {
  const { row, pause } = open
  const request = await withContextInText(context, given, row)
  if (request.type !== "steering" && asksForInput(pause)) await requireSeen(context.store, request, pause)
  const message = await messageFor(context, request, open)
  await context.store.inbox.put({ id: message.id, sessionId: row.id, source: message.source, text: request.text })
  await auditMessage(context, request, { messageId: message.id, runId: row.runId })
  const name = request.type === "steering" ? "steer" : "send"
  const result = await sendUpdateOrSignal(
    context,
    { sessionId: row.id, name, id: message.id, payload: message },
    { signalName: "inbox", delivery: request.delivery },
  )
  const effect = effects[message.source]
  if (result.kind === "gone") return await sendToClosed(context, request, { row, message, effect })
  const applied = result.kind === "applied"
  if (endsPause(request, pause)) await recordAnsweredPause(context, pause, applied)
  return {
    state: applied ? "applied" : "accepted",
    runId: applied ? result.runId : (row.runId ?? ""),
    ...(effect === undefined ? {} : { effect }),
  }
}

/** Settles a message whose execution closed in the meantime: the answer to it may be lost, or it starts the next run, under the same id. */
const sendToClosed = async (
  context: SessionsContext,
  request: SendRequest,
  sent: { readonly row: SessionRow; readonly message: SessionMessage; readonly effect: Sent["effect"] },
): Promise<Sent> => {
  const { message, effect } = sent
  const { row, problem } = await reconcileSession(context, await requireSession(context.store, request.sessionId))
  if (problem !== undefined) throw problem
  if (!(await wasRead(context.store, row.id, message)))
    return await startNextRun(context, row, { ...request, messageId: message.id })
  const runId = effect === "queued" ? queuedRunId(message) : (sent.row.runId ?? "")
  return { state: "applied", runId, ...(effect === undefined ? {} : { effect }) }
}

const requireCheckpoint = (request: SendRequest, pause: PauseRow | undefined): void => {
  if (request.checkpointId !== undefined && request.checkpointId !== pause?.checkpointId)
    throw staleCheckpoint(request.checkpointId, request.sessionId)
}

const alreadyRunning = (row: SessionRow, pause: PauseRow | undefined): AdjutantError =>
  new AdjutantError(
    "session_already_running",
    pause === undefined
      ? `session ${row.id} is running: steer it or queue a follow-up`
      : `session ${row.id} is waiting for decisions on tool calls: approve or reject them, steer it or queue a follow-up`,
  )

/** Returns the run that an earlier attempt of the same request has written; while it is pending, its start may have failed. */
const runOfEarlierAttempt = async ({ store }: SessionsContext, request: SendRequest): Promise<RunRow | undefined> => {
  if (request.messageId === undefined) return undefined
  const run = await store.runs.get(runIdFor(request))
  return run?.sessionId === request.sessionId ? run : undefined
}

/** Sends the first message. If several are sent at the same time, one starts the run. */
const sendToIdle = async (context: SessionsContext, row: SessionRow, request: SendRequest): Promise<Sent> => {
  const named = { ...request, messageId: request.messageId ?? newMessageId() }
  const sent = await startFirstRun(context, row, named)
  if (typeof sent !== "string") return sent
  const current = await requireSession(context.store, row.id)
  // With a preset id, an earlier attempt may have started the run, as this one may have: its workflow knows the message.
  if (request.type === "message" && request.messageId === undefined && sent === "exists")
    throw alreadyRunning(current, undefined)
  return await sendToOpen(context, named, { row: current, pause: await context.store.pauses.current(row.id) })
}

/** Refuses texts for a command in the background: no model reads them, and the shell would run each as one more line. */
const requireReader = async (context: SessionsContext, row: SessionRow): Promise<void> => {
  // Only sessions without a model can be commands.
  if (row.runId === null || row.model !== "none") return
  const { execution } = await latestSnapshot(context, row)
  if (execution.type === "command")
    throw new AdjutantError(
      "invalid_argument",
      `task ${row.id} is a command, which reads no messages: decide its call, cancel it, or start another with run_command_task`,
    )
}

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
  return withRefusalAudited(context.store, asked, () => send(context, request))
}

/** Sends an answer to the only question that a checkpoint of a tree showed. */
const answerInTree = async (context: SessionsContext, request: SendRequest): Promise<Sent> => {
  const question = await questionOf(context.store, request)
  const { runId: _, ...rest } = request
  const { sessionId, checkpointId } = question
  const sent = await sendMessage(context, { ...rest, sessionId, checkpointId })
  const { runId } = await requireSession(context.store, request.sessionId)
  return { ...sent, runId: runId ?? sent.runId }
}

/** Sends a text, with those of its thread that wait for the next run, if it can begin one. */
const send = async (context: SessionsContext, request: SendRequest): Promise<Sent> => {
  const { store } = context
  requireKnownOptions(request.limits ?? {})
  const found = await requireSession(store, request.sessionId)
  await requireDirectoryAccess(request.actor, found)
  const { text, brought } = await bringHeld(store, found, request.text)
  const beginsNone = request.type === "steering" || brought.length === 0
  if (beginsNone || asksForInput(await store.pauses.current(found.id))) return await sendTo(context, found, request)
  const sent = await sendTo(context, found, { ...request, text })
  await dropHeld(store, found.id, brought)
  return sent
}

const sendTo = async (context: SessionsContext, row: SessionRow, request: SendRequest): Promise<Sent> => {
  const earlier = await runOfEarlierAttempt(context, request)
  if (earlier !== undefined && earlier.status !== "pending") return { state: "accepted", runId: earlier.runId }
  requireRun(row, request.runId)
  await requireReader(context, row)
  await requireDirectory(context, row)
  if (row.runId === null) return await sendToIdle(context, row, request)
  if (isFinal(row.status)) return await startNextRun(context, row, request)
  const pause = await context.store.pauses.current(row.id)
  if (request.type === "message" && !asksForInput(pause) && earlier?.runId !== row.runId) {
    const { row: asked, problem } = await reconcileSession(context, row)
    if (problem !== undefined) throw problem
    if (isFinal(asked.status)) return await startNextRun(context, asked, request)
    requireCheckpoint(request, pause)
    throw alreadyRunning(row, pause)
  }
  requireCheckpoint(request, pause)
  try {
    return await sendToOpen(context, request, { row, pause })
  } catch (error) {
    // The pause that it would have answered has ended. A message without a checkpoint is for the current state.
    const isStale = isAdjutantError(error) && error.code === "checkpoint_stale" && request.checkpointId === undefined
    if (!isStale || pause?.checkpointId === (await context.store.pauses.current(row.id))?.checkpointId) throw error
    return await sendTo(context, await requireSession(context.store, request.sessionId), request)
  }
}
