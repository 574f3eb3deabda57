import { condition } from "@temporalio/workflow"
import { endOpenPause } from "../../domain/session/early-messages.ts"
import { noProgress, rejectedBefore } from "../../domain/calls/repeated-calls.ts"
import { askingCall, pendingCalls, withCallState } from "../../domain/calls/tool-batch.ts"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import type { OpenPauseState } from "../../domain/session/session-state.ts"
import { record } from "../record-activities.ts"
import { attributeDecisions, attributeMessages, auditOperators } from "../session/audit-operators.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, showStatus, withOutbox } from "../session/session-context.ts"
import { notifyParent } from "../children/child-reports.ts"
import { releaseSlot } from "../lane/lane-slot.ts"
import { mayContinueAsNew } from "../session/continue-as-new.ts"
import { adoptApproval, adoptNamedLimits } from "../session/read-settings.ts"
import { startDeliveries } from "../delivery/start-deliveries.ts"
import { spendingOf } from "../session/remaining-budget.ts"
import { isSteered } from "../messages/waiting-messages.ts"
import { processEarlyMessages } from "../messages/take-decision.ts"
import { checkEdits } from "./check-edits-step.ts"
import { previewCalls } from "./preview-step.ts"
import { textsToWrite } from "../session/transcript-places.ts"

const budgetNotice = "The budget of this run is used up. Answer with a higher budget to continue, or cancel."

/** Nobody ended a pause within the configured time. */
export class PauseTimeout extends Error {
  constructor(seconds: number) {
    super(`nobody answered within ${seconds} s (timing.pauseTimeoutSeconds)`)
    this.name = "PauseTimeout"
  }
}

const pendingIds = (context: SessionContext): readonly string[] =>
  context.state.run.batch === null ? [] : pendingCalls(context.state.run.batch).map((call) => call.id)

/** Where the previews of the pending calls are. */
const resultSeqs = ({ state }: SessionContext): { readonly resultSeqs?: readonly number[] } => {
  const { batch } = state.run
  return batch?.isPreviewed === true ? { resultSeqs: pendingCalls(batch).map((call) => call.resultSeq) } : {}
}

/** Where the new arguments of the pending calls are. */
const editedSeqs = ({ state }: SessionContext): { readonly editedSeqs?: readonly number[] } => {
  const { batch } = state.run
  const seqs = batch === null ? [] : pendingCalls(batch).flatMap((call) => (call.isEdited ? [call.resultSeq] : []))
  return seqs.length === 0 ? {} : { editedSeqs: seqs }
}

const protectedIds = ({ state }: SessionContext): { readonly protectedIds?: readonly string[] } => {
  const { batch } = state.run
  const ids = batch === null ? [] : pendingCalls(batch).flatMap(({ id, isProtected }) => (isProtected ? [id] : []))
  return ids.length === 0 ? {} : { protectedIds: ids }
}

const noticeOf = (context: SessionContext, cause: OpenPauseState["cause"]): { readonly notice?: string } => {
  const { batch, budgetReason, repeated } = context.state.run
  const repeats =
    cause === "approval" && batch !== null
      ? rejectedBefore(repeated, pendingCalls(batch))
      : cause === "text"
        ? noProgress(repeated)
        : undefined
  if (repeats !== undefined) return { notice: repeats }
  if (cause === "budget") return { notice: budgetReason ?? budgetNotice }
  const asking = cause === "tool" && batch !== null ? askingCall(batch) : undefined
  return asking === undefined ? {} : { notice: asking.state.question.message }
}

/**
 * Opens the pause and mints its checkpoint, unless it was carried over at continue-as-new. Returns how many calls were pending then: a
 * decision may come before it returns.
 */
const beginPause = async (context: SessionContext, cause: OpenPauseState["cause"]): Promise<number> => {
  const { state } = context
  const { run } = state
  let deliveries: readonly DeliveryInput[] | undefined
  context.clock?.stop()
  if (run.pause === null) {
    const type = cause === "approval" ? "tool_approval_required" : "input_required"
    // Readers of the transcript see these texts, although this run's model does not see them yet.
    if (cause === "budget") await adoptApproval(context)
    const append = cause === "budget" ? textsToWrite(context) : []
    if (cause === "approval") await previewCalls(context)
    const pause = {
      ...runScope(context),
      ordinal: run.pauseCount,
      type,
      assistantSeq: run.batch?.assistantSeq ?? 0,
      callIds: pendingIds(context),
      ...resultSeqs(context),
      ...editedSeqs(context),
      ...protectedIds(context),
      ...noticeOf(context, cause),
      headSeq: state.headSeq,
      stepsTaken: run.stepsTaken,
      append,
      spending: spendingOf(context),
    } as const
    const opened = await withOutbox(state, (outbox) => record.openPause({ ...pause, outbox }))
    run.pauseCount += 1
    const { checkpointId, calls, message } = opened
    run.pause = { checkpointId, calls, message, type, cause, decided: {}, openedAtMs: Date.now() }
    deliveries = opened.deliveries
  }
  const pending = pendingIds(context).length
  await releaseSlot(context)
  showStatus(context, "paused")
  notifyParent(context, "paused")
  await startDeliveries(deliveries)
  return pending
}

const endPause = (context: SessionContext): void => {
  endOpenPause(context.state)
  showStatus(context, "running")
  notifyParent(context, "running")
}

/**
 * Waits for as long as it takes, or until the configured limit on pauses has passed. The caller must reset the condition
 * that ended the wait before it waits again: otherwise the loop would spin inside one workflow task.
 */
const waitInPause = async (context: SessionContext, moves: () => boolean): Promise<void> => {
  const seconds = context.settings?.timing.pauseTimeoutSeconds ?? 0
  const { pause } = context.state.run
  if (seconds === 0 || pause === null) return condition(moves)
  // Decisions that leave calls pending, and a new execution, do not start the time again.
  const leftMs = (pause.openedAtMs ?? Date.now()) + seconds * 1_000 - Date.now()
  if (!(await condition(moves, Math.max(1, leftMs)))) throw new PauseTimeout(seconds)
}

/** Decisions that were applied while the session continued as new, which the store still shows as pending. */
const hasUnrecordedDecisions = ({ state: { run } }: SessionContext): boolean =>
  run.outbox.some(({ type }) => type === "decision-recorded")

const recordDecisions = async (context: SessionContext): Promise<void> => {
  const { state } = context
  await attributeDecisions(context)
  const checkpointId = state.run.pause?.checkpointId ?? ""
  await withOutbox(state, (outbox) =>
    record.recordDecisions({
      ...{ ...runScope(context), checkpointId, outbox },
      remainingCallIds: pendingIds(context),
    }),
  )
}

const endDecisionPause = async (context: SessionContext): Promise<void> => {
  const checkpointId = context.state.run.pause?.checkpointId ?? ""
  endPause(context)
  await attributeDecisions(context)
  await auditOperators(context)
  await checkEdits(context, checkpointId)
}

/** Waits until every pending call has a decision, or steering makes them void. Decisions that leave some pending are recorded meanwhile. */
export const pauseForDecisions = async (context: SessionContext): Promise<void> => {
  const { state } = context
  await auditOperators(context)
  let pending = await beginPause(context, "approval")
  processEarlyMessages(context)
  if (hasUnrecordedDecisions(context)) await recordDecisions(context)
  // Never spins: fewer calls are pending after each pass, and the record of the decisions on them is a durable step.
  for (;;) {
    await waitInPause(
      context,
      () => pendingIds(context).length !== pending || isSteered(state) || mayContinueAsNew(context),
    )
    if (isSteered(state) || pendingIds(context).length === 0) break
    if (pendingIds(context).length === pending) return
    pending = pendingIds(context).length
    await recordDecisions(context)
  }
  await endDecisionPause(context)
}

/** The first answer goes to the call that asked; steering is not one. */
const answerAskingCall = (context: SessionContext): void => {
  const { run, waiting } = context.state
  const asking = run.batch === null ? undefined : askingCall(run.batch)
  const index = waiting.findIndex((text) => text.source !== "steering")
  const [given] = index === -1 ? [] : waiting.splice(index, 1)
  if (run.batch === null || asking === undefined || given === undefined) return
  const { inboxId, text } = given
  const answer = { round: asking.state.question.round, inboxId, ...(text === undefined ? {} : { text }) }
  run.batch = withCallState(run.batch, asking.id, { at: "ready", answer })
}

type InputCause = Exclude<OpenPauseState["cause"], "approval">

const endInputPause = async (context: SessionContext, cause: InputCause): Promise<void> => {
  endPause(context)
  await adoptNamedLimits(context)
  if (cause === "tool") answerAskingCall(context)
  await attributeMessages(context)
  await auditOperators(context)
}

/** Pauses until an answer from an authorized person arrives. */
export const pauseForInput = async (context: SessionContext, cause: InputCause): Promise<void> => {
  const { state } = context
  await beginPause(context, cause)
  processEarlyMessages(context)
  await auditOperators(context)
  await waitInPause(context, () => state.waiting.length > 0 || mayContinueAsNew(context))
  if (state.waiting.length > 0) await endInputPause(context, cause)
}

/** Returns whether a pause is open whose last decision or whose answer has been applied: that happens while the session continues as new. */
export const isPauseOver = (context: SessionContext): boolean => {
  const { state } = context
  const { pause } = state.run
  if (pause === null) return false
  return pause.type === "input_required"
    ? state.waiting.length > 0
    : isSteered(state) || pendingIds(context).length === 0
}

/** Ends a pause of which `isPauseOver` is true. */
export const endPauseNow = async (context: SessionContext): Promise<void> => {
  const { pause } = context.state.run
  if (pause === null) return
  if (pause.cause === "approval") await endDecisionPause(context)
  else await endInputPause(context, pause.cause)
}
