import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { UserSource } from "../../contracts/message.ts"
import type { SessionMessage } from "../../domain/session/session-message.ts"
import { sendUpdateOrSignal } from "../../engine/send-update.ts"
import type { PauseRow, SessionRow } from "../../store/store.ts"
import { senderApproval } from "../authority/sender-approval.ts"
import { recordAnsweredPause } from "../pauses/record-answered-pause.ts"
import { requireSeen } from "../pauses/require-seen.ts"
import { requireSession } from "../rows/require-session.ts"
import type { SendRequest, Sent } from "../send-request.ts"
import { newMessageId } from "../session-id.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { latestSnapshot, resolveFollowUp } from "../settings/resolve-follow-up.ts"
import { auditMessage } from "./audit-message.ts"
import { budgetRaise } from "./budget-raise.ts"
import { asksForInput, caseOfMessage, type LateMessage, type MessageCase, type OpenRun } from "./message-case.ts"
import { signMessage } from "./sign-message.ts"
import { textFor } from "./text-for.ts"

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

const messageSource = (request: SendRequest, answers: boolean): UserSource => {
  if (request.type === "steering") return "steering"
  return answers ? "input" : "follow_up"
}

const effects: Partial<Readonly<Record<UserSource, Sent["effect"]>>> = {
  input: "answered",
  follow_up: "queued",
  steering: "steered",
}

/** Returns the checkpoint of an answer, so that it does not apply to a later pause. */
const answeredCheckpoint = (
  request: SendRequest,
  answered: PauseRow | undefined,
): Pick<SessionMessage, "checkpoint_id"> => {
  const checkpointId = request.checkpointId ?? answered?.checkpointId
  return checkpointId === undefined ? {} : { checkpoint_id: checkpointId }
}

const messageFor = async (context: SessionsContext, request: SendRequest, open: OpenRun): Promise<SessionMessage> => {
  const id = open.messageId ?? request.messageId ?? newMessageId()
  const answers = asksForInput(open.pause) && request.type !== "steering"
  const limits = answers ? withoutBudget(request.limits) : request.limits
  return await signMessage(context.store, open.row.id, {
    id,
    type: request.type,
    source: messageSource(request, answers),
    ...(request.runId === undefined ? {} : { run_id: request.runId }),
    ...(request.isInThread === true ? { in_thread: true } : {}),
    ...answeredCheckpoint(request, answers ? open.pause : undefined),
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

const deliver = async (context: SessionsContext, given: SendRequest, open: OpenRun): Promise<Sent | LateMessage> => {
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
  if (result.kind === "gone") return { kind: "late_message", row, message, effect }
  const applied = result.kind === "applied"
  if (endsPause(request, pause)) await recordAnsweredPause(context, pause, applied)
  return {
    state: applied ? "applied" : "accepted",
    runId: applied ? result.runId : (row.runId ?? ""),
    ...(effect === undefined ? {} : { effect }),
  }
}

/**
 * Sends a message to an open run. Returns the case that the message meets instead: the run has ended, or someone else has answered the question.
 * @throws AdjutantError `checkpoint_stale` for a message that names the checkpoint of a question which is answered
 */
export const sendToOpenRun = async (
  context: SessionsContext,
  request: SendRequest,
  open: OpenRun,
): Promise<Sent | MessageCase> => {
  try {
    return await deliver(context, request, open)
  } catch (error) {
    // A message without a checkpoint is for the session as it is now, whatever it would have answered.
    const isStale = isAdjutantError(error) && error.code === "checkpoint_stale" && request.checkpointId === undefined
    const { row, pause } = open
    if (!isStale || pause?.checkpointId === (await context.store.pauses.current(row.id))?.checkpointId) throw error
    // Under its id: the start of a run may have carried the message, although its answer was lost.
    const again = open.messageId === undefined ? request : { ...request, messageId: open.messageId }
    return await caseOfMessage(context, await requireSession(context.store, row.id), again)
  }
}
