import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { plainMessage } from "../../contracts/argument-problem.ts"
import { type Decide, decideSchema } from "../../contracts/approval/decision.ts"
import { notIncluded } from "../../domain/calls/apply-decision.ts"
import { needsPerson, onlyPersonText } from "../../domain/approval/only-a-person.ts"
import type { PauseRow, SessionRow } from "../../store/store.ts"
import type { DecideRequest } from "../decide-request.ts"
import type { Sent } from "../send-request.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { alreadyDecided, answerLateDecision } from "./answer-late-decision.ts"
import { decideAction, decideRefusedAction, loadPauseDecisions } from "../pauses/pause-decisions.ts"
import { decisionIdOf } from "./decision-id.ts"
import { decideTree } from "./decide-tree.ts"
import { findTreePause } from "../pauses/tree-pause.ts"
import { storeEditedArguments } from "./edited-arguments.ts"
import { recordAnsweredPause } from "../pauses/record-answered-pause.ts"
import { reconcileSession } from "../reconcile/reconcile-session.ts"
import { auditedActor } from "../actor.ts"
import { withRefusalAudited } from "../audit/audit-refusal.ts"
import { decisionRecord, plannedActions } from "./decision-record.ts"
import { type JudgedRight, judgeRight } from "./people/judge-right.ts"
import { auditedPerson } from "../authority/person-of-actor.ts"
import { requireApprover, requireDirectoryAccess } from "../authority/require-authority.ts"
import { requireRun, requireSession } from "../rows/require-session.ts"
import { senderApproval } from "../authority/sender-approval.ts"
import { requireSeen } from "../pauses/require-seen.ts"
import { requireAskedOnce, requireNotRepeated } from "./require-asked-once.ts"
import { requireDirectory } from "../rows/session-place.ts"
import { signDecision } from "./sign-decision.ts"
import { sendUpdateOrSignal } from "../../engine/send-update.ts"
import { isTemporalUnavailable } from "../../engine/translate-temporal-error.ts"

/** Below the engine's limit of 2 MB for one payload. */
const maxPayloadBytes = 1_500_000

const pendingText = (pause: PauseRow): string => pause.calls.map((call) => call.id).join(", ") || "none"

/** Checks the calls of a decision: a call that is not pending must already have the same decision. */
const checkCalls = async (context: SessionsContext, request: DecideRequest, pause: PauseRow): Promise<void> => {
  const pending = new Set(pause.calls.map((call) => call.id))
  const others = Object.entries(request.decisions ?? {}).filter(([id]) => !pending.has(id))
  if (others.length === 0) return
  const known = await loadPauseDecisions(context.store, pause)
  const { actions, decisionIds } = known
  const isKnown = decisionIds.has(decisionIdOf(pause.checkpointId, request))
  for (const [id, decision] of others) {
    const before = actions.get(id)
    if (before === undefined)
      throw new AdjutantError("call_not_found", `call ${id} is not pending; pending calls: ${pendingText(pause)}`)
    if (before !== decision.action || (before === "edit" && !isKnown)) throw alreadyDecided(id, known)
  }
}

/**
 * Returns the calls, by id, that an approval of all leaves pending because they change protected files or leave the sandbox.
 * @throws AdjutantError `invalid_argument` if nothing else is pending, unless the approval has already been applied
 */
const protectedPending = async (
  { store }: SessionsContext,
  request: DecideRequest,
  pause: PauseRow,
): Promise<readonly string[]> => {
  const { all, decisions = {} } = request
  const left = notIncluded(all, pause.calls).flatMap(({ id }) => (Object.hasOwn(decisions, id) ? [] : [id]))
  if (left.length === 0 || left.length < pause.calls.length) return left
  const { decisionIds } = await loadPauseDecisions(store, pause)
  if (!decisionIds.has(decisionIdOf(pause.checkpointId, request)))
    throw new AdjutantError(
      "invalid_argument",
      `an approval of all calls does not include those that change protected files or leave the sandbox: decide ${left.join(", ")} by id`,
    )
  return left
}

/** Returns whether a decision contains text, such as the reason of a rejection, which the model reads like a message. */
const hasContent = ({ all, decisions = {} }: DecideRequest): boolean =>
  [all, ...Object.values(decisions)].some((decision) => decision !== undefined && "content" in decision)

const payloadOf = async ({ store }: SessionsContext, request: DecideRequest, pause: PauseRow): Promise<Decide> => {
  const { decisions = {}, all, unlisted, actor } = request
  if (all === undefined && Object.keys(decisions).length === 0)
    throw new AdjutantError(
      "invalid_argument",
      `the decision lists no call: list at least one; pending calls: ${pendingText(pause)}`,
    )
  const parsed = decideSchema.safeParse({
    decision_id: decisionIdOf(pause.checkpointId, request),
    run_id: pause.runId,
    checkpoint_id: pause.checkpointId,
    decisions: await storeEditedArguments(store, pause, decisions),
    // What an approval of all calls does not include stays pending.
    unlisted: all === undefined ? unlisted : "pending",
    ...(all === undefined ? {} : { all }),
    by: actor.by.slice(0, 200),
    via: actor.via.slice(0, 50),
    ...(hasContent(request) ? senderApproval(actor) : {}),
  })
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new AdjutantError(
      "invalid_argument",
      `${issue?.path.join(".") ?? "decision"}: ${plainMessage(issue?.message ?? "invalid")}`,
    )
  }
  if (Buffer.byteLength(JSON.stringify(parsed.data)) > maxPayloadBytes)
    throw new AdjutantError("payload_too_large", "the results are too long in total: decide fewer calls at a time")
  return await signDecision(store, pause.sessionId, parsed.data)
}

const auditor = (context: SessionsContext, request: DecideRequest, pause: PauseRow) => {
  const actor = auditedActor(request.actor)
  return async (payload: Decide, refusal?: AdjutantError): Promise<void> => {
    const { hash, detail } = decisionRecord(pause, payload, request.decisions)
    await context.store.audit.record(
      {
        sessionId: pause.sessionId,
        runId: pause.runId,
        action: refusal === undefined ? decideAction : decideRefusedAction,
        ...actor,
        hash,
        detail: {
          ...detail,
          ...auditedPerson(context.loaded, request.actor),
          ...(refusal === undefined ? {} : { code: refusal.code }),
        },
        ...(refusal === undefined ? { key: `${payload.decision_id}:${actor.by}:${actor.via}` } : {}),
      },
      // `decideOpen` waits for the disk itself, after it has sent the decision. Nothing follows a refusal.
      refusal === undefined ? "crash" : "power-cut",
    )
  }
}

const approvesAny = ({ all, decisions = {} }: DecideRequest): boolean =>
  [...(all === undefined ? [] : [all]), ...Object.values(decisions)].some(({ action }) => action !== "reject")

/**
 * Decides on pending calls. Returns `applied` if the workflow has applied the decision, `accepted` if it is stored durably and no worker has answered yet.
 * An approval of all calls leaves those that change protected files or leave the sandbox pending, and returns their ids as `protectedPending`. A checkpoint of
 * a tree decides on the calls that it showed.
 * @throws AdjutantError `session_not_found forbidden run_mismatch session_not_paused checkpoint_stale call_not_found already_decided session_not_running
 * session_missing temporal_unavailable engine_mismatch`
 */
export const decide = async (context: SessionsContext, request: DecideRequest): Promise<Sent> => {
  const { sessionId, checkpointId, decisions = {}, all, actor } = request
  const tree = checkpointId === undefined ? undefined : await findTreePause(context.store, checkpointId)
  // It decides on each session of the tree by this function, which it is given because the two files would import each other.
  if (tree?.sessionId === sessionId) return await decideTree(context, request, { tree, decide })
  const detail = {
    ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
    decisions: Object.fromEntries(Object.entries(decisions).map(([id, { action }]) => [id, action])),
    ...(all === undefined ? {} : { all: all.action }),
  }
  const asked = { sessionId, action: decideRefusedAction, actor, detail }
  const checked = await withRefusalAudited(context.store, asked, () => checkDecision(context, request))
  if (checked.kind === "repeated") return checked.answer
  const { counted, request: toSend } = checked.judged
  const sent: Sent =
    toSend === undefined ? { state: "applied", runId: checked.pause.runId } : await decideOpen(context, toSend, checked)
  return counted.length === 0 ? sent : { ...sent, counted }
}

/** Returns the open pause that a decision is for; the answer, if the decision repeats an earlier one. */
const checkDecision = async (
  context: SessionsContext,
  request: DecideRequest,
): Promise<({ readonly kind: "open" } & OpenDecision) | { readonly kind: "repeated"; readonly answer: Sent }> => {
  const { store } = context
  const row = await requireSession(store, request.sessionId)
  await requireDirectoryAccess(request.actor, row)
  if (approvesAny(request)) requireApprover(request.actor, "a decision other than reject")
  requireRun(row, request.runId)
  const open = await store.pauses.current(row.id)
  if (open === undefined || (request.checkpointId !== undefined && request.checkpointId !== open.checkpointId)) {
    const pause =
      request.checkpointId === undefined
        ? await store.pauses.latest(row.id)
        : await store.pauses.byCheckpoint(request.checkpointId)
    return { kind: "repeated", answer: await answerLateDecision(context, request, { row, pause }) }
  }
  if (open.type === "input_required")
    throw new AdjutantError(
      "session_not_paused",
      `session ${row.id} is waiting for an answer, not for a decision: send it a message`,
    )
  requirePerson(request, open)
  await requireDirectory(context, row)
  await requireSeen(store, request, open)
  await requireAskedOnce(store, request, open)
  await requireNotRepeated(store, request, open)
  await checkCalls(context, request, open)
  const leftPending = await protectedPending(context, request, open)
  return { kind: "open", row, pause: open, leftPending, judged: await judgeRight(context, request, open) }
}

/** Requires a person for the calls that no model may approve. @throws AdjutantError `forbidden` */
const requirePerson = ({ actor, decisions = {}, all }: DecideRequest, pause: PauseRow): void => {
  if (actor.kind !== "model") return
  const approved = pause.calls.filter((call) => {
    const decision = Object.hasOwn(decisions, call.id) ? decisions[call.id] : all
    return needsPerson(call) && decision !== undefined && decision.action !== "reject"
  })
  if (approved.length > 0) throw new AdjutantError("forbidden", onlyPersonText(approved.map(({ id }) => id)))
}

interface OpenDecision {
  readonly row: SessionRow
  readonly pause: PauseRow
  /** The calls that an approval of all leaves pending. */
  readonly leftPending: readonly string[]
  readonly judged: JudgedRight
}

/**
 * Records the decision, then sends it without waiting for the disk. The sender is answered once the record is on disk. A power cut in between is
 * harmless: the store loses its last commits in order, so an approved call whose record is lost has lost its claim, too, and has not run.
 */
const decideOpen = async (context: SessionsContext, request: DecideRequest, open: OpenDecision): Promise<Sent> => {
  const payload = await payloadOf(context, request, open.pause)
  const audit = auditor(context, request, open.pause)
  await audit(payload)
  const synced = context.store.synced()
  synced.catch(() => undefined)
  const sent = await sendDecision(context, request, { ...open, payload, audit })
  await synced
  return open.leftPending.length === 0 ? sent : { ...sent, protectedPending: open.leftPending }
}

const sendDecision = async (
  context: SessionsContext,
  request: DecideRequest,
  {
    row,
    pause,
    payload,
    audit,
  }: OpenDecision & { readonly payload: Decide; readonly audit: ReturnType<typeof auditor> },
): Promise<Sent> => {
  try {
    const result = await sendUpdateOrSignal(
      context,
      { sessionId: row.id, name: "decide", id: payload.decision_id, payload },
      { signalName: "decide", delivery: request.delivery },
    )
    if (result.kind === "gone") throw await endedError(context, row)
    const applied = result.kind === "applied"
    const planned = plannedActions(pause, payload)
    const remaining = pause.calls.flatMap(({ id }) => (Object.hasOwn(planned, id) ? [] : [id]))
    if (remaining.length === 0) await recordAnsweredPause(context, pause, applied)
    // The workflow records the same shortly afterwards: until then, readers see here which calls are left.
    else if (applied) await context.store.pauses.setCalls(pause.sessionId, pause.checkpointId, remaining)
    return { state: applied ? "applied" : "accepted", runId: applied ? result.runId : pause.runId }
  } catch (error) {
    if (isAdjutantError(error) && !isTemporalUnavailable(error)) await audit(payload, error)
    throw error
  }
}

/** Returns the error for a session without an open execution. */
const endedError = async (context: SessionsContext, row: SessionRow): Promise<AdjutantError> => {
  const { row: current, problem } = await reconcileSession(context, row)
  if (problem !== undefined) return problem
  const { status } = current
  return new AdjutantError(
    "session_not_running",
    `session ${row.id} has ended (${status}): send it a message to continue`,
  )
}
