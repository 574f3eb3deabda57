import { condition } from "@temporalio/workflow"
import type { OpenPauseInput } from "../../activities/contract/agent-activities.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { endOpenPause } from "../../domain/session/early-messages.ts"
import { noProgress, rejectedBefore } from "../../domain/calls/repeated-calls.ts"
import { askingCall, type BatchCall, pendingCalls, withCallState } from "../../domain/calls/tool-batch.ts"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import type { OpenPauseState } from "../../domain/session/session-state.ts"
import { storeActivities } from "../store-activities.ts"
import { attributeDecisions, attributeMessages, auditOperators } from "../session/audit-operators.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, showStatus, withOutbox } from "../session/session-context.ts"
import { notifyParent } from "../children/child-reports.ts"
import { releaseSlot } from "../lane/lane-slot.ts"
import { mayContinueAsNew } from "../session/continue-as-new.ts"
import { adoptApproval, adoptNamedLimits } from "../session/read-settings.ts"
import { startDeliveries } from "../delivery/start-deliveries.ts"
import { countedIfReset, spendingOf } from "../session/remaining-budget.ts"
import { isSteered } from "../messages/waiting-messages.ts"
import { processEarlyMessages } from "../messages/take-decision.ts"
import { checkEdits } from "./check-edits-step.ts"
import { previewCalls } from "./preview-step.ts"
import { textsToWrite } from "../session/transcript-places.ts"

/** Nobody ended a pause within the configured time. */
export class PauseTimeout extends Error {
  constructor(seconds: number) {
    super(`nobody answered within ${seconds} s (timing.pauseTimeoutSeconds)`)
    this.name = "PauseTimeout"
  }
}

/**
 * Pauses until every pending call has a decision, or until steering makes them void. Also returns if the session should continue as new; the run then
 * comes back to the same pause.
 */
export const pauseForDecisions = async (context: SessionContext): Promise<void> => {
  const { state } = context
  await auditOperators(context)
  let pending = await beginPause(context, "approval")
  processEarlyMessages(context)
  if (hasUnrecordedDecisions(context)) await recordDecisions(context)
  const isSomeDecided = () => pendingOf(context).length !== pending
  // Never spins: fewer calls are pending after each pass, and the record of the decisions on them is a durable step.
  for (;;) {
    await waitInPause(context, () => isSomeDecided() || isSteered(state) || mayContinueAsNew(context))
    if (isDecided(context)) return await endDecisionPause(context)
    if (!isSomeDecided()) return
    pending = pendingOf(context).length
    await recordDecisions(context)
  }
}

type InputCause = Exclude<OpenPauseState["cause"], "approval">

/** Pauses until an answer from an authorized person arrives, or the session should continue as new. */
export const pauseForInput = async (context: SessionContext, cause: InputCause): Promise<void> => {
  const isAnswered = () => context.state.waiting.length > 0
  await beginPause(context, cause)
  processEarlyMessages(context)
  await auditOperators(context)
  await waitInPause(context, () => isAnswered() || mayContinueAsNew(context))
  if (isAnswered()) await endInputPause(context, cause)
}

/** Returns whether a pause is open whose last decision or whose answer has been applied: that happens while the session continues as new. */
export const isPauseOver = (context: SessionContext): boolean => {
  const { waiting, run } = context.state
  if (run.pause === null) return false
  return run.pause.type === "input_required" ? waiting.length > 0 : isDecided(context)
}

/** Ends a pause of which `isPauseOver` is true. */
export const endPauseNow = async (context: SessionContext): Promise<void> => {
  const { pause } = context.state.run
  if (pause === null) return
  if (pause.cause === "approval") await endDecisionPause(context)
  else await endInputPause(context, pause.cause)
}

const pendingOf = ({ state: { run } }: SessionContext): readonly BatchCall[] =>
  run.batch === null ? [] : pendingCalls(run.batch)

const isDecided = (context: SessionContext): boolean => isSteered(context.state) || pendingOf(context).length === 0

/**
 * Opens the pause in the store, unless it is open already because the session continued as new in it. Then frees the slot of the lane, and tells everybody
 * who waits for the run. Returns how many calls were pending when it opened: a decision may come before this function returns.
 */
const beginPause = async (context: SessionContext, cause: OpenPauseState["cause"]): Promise<number> => {
  const { state } = context
  const { run } = state
  let deliveries: readonly DeliveryInput[] | undefined
  context.clock?.stop()
  if (run.pause === null) {
    if (cause === "budget") await adoptApproval(context)
    if (cause === "approval") await previewCalls(context)
    const pause = newPause(context, cause)
    const opened = await withOutbox(state, (outbox) => storeActivities.openPause({ ...pause, outbox }))
    const { checkpointId, calls, message } = opened
    run.pauseCount += 1
    run.pause = { checkpointId, calls, message, type: pause.type, cause, decided: {}, openedAtMs: Date.now() }
    deliveries = opened.deliveries
  }
  const pending = pendingOf(context).length
  await releaseSlot(context)
  showStatus(context, "paused")
  notifyParent(context, "paused")
  await startDeliveries(deliveries)
  return pending
}

/** Returns what the store writes when the pause opens. */
const newPause = (context: SessionContext, cause: OpenPauseState["cause"]): Omit<OpenPauseInput, "outbox"> => {
  // Readers of the transcript see these texts, although this run's model does not see them yet. They take the next places after the head.
  const append = cause === "budget" ? textsToWrite(context) : []
  const { headSeq, run } = context.state
  const notice = noticeOf(context, cause)
  return {
    ...runScope(context),
    ordinal: run.pauseCount,
    type: cause === "approval" ? "tool_approval_required" : "input_required",
    assistantSeq: run.batch?.assistantSeq ?? 0,
    ...shownCalls(context),
    ...(notice === undefined ? {} : { notice }),
    headSeq,
    stepsTaken: run.stepsTaken,
    append,
    spending: spendingOf(context),
    ...countedIfReset(context),
  }
}

/** Returns the pending calls, and where the store has what people are shown of them: previews, and the arguments that an approver replaced. */
const shownCalls = (
  context: SessionContext,
): Pick<OpenPauseInput, "callIds" | "resultSeqs" | "editedSeqs" | "protectedIds"> => {
  const calls = pendingOf(context)
  const editedSeqs = calls.flatMap(({ isEdited, resultSeq }) => (isEdited === true ? [resultSeq] : []))
  const protectedIds = calls.flatMap(({ isProtected, id }) => (isProtected === true ? [id] : []))
  return {
    callIds: calls.map(({ id }) => id),
    ...(context.state.run.batch?.isPreviewed === true ? { resultSeqs: calls.map(({ resultSeq }) => resultSeq) } : {}),
    ...(editedSeqs.length === 0 ? {} : { editedSeqs }),
    ...(protectedIds.length === 0 ? {} : { protectedIds }),
  }
}

const budgetNotice = "The budget of this run is used up. Answer with a higher budget to continue, or cancel."

/** Returns what the pause tells people besides its calls. */
const noticeOf = (context: SessionContext, cause: OpenPauseState["cause"]): string | undefined => {
  const { batch, budgetReason, repeated } = context.state.run
  switch (cause) {
    case "approval":
      return rejectedBefore(repeated, pendingOf(context))
    case "text":
      return noProgress(repeated)
    case "budget":
      return budgetReason ?? budgetNotice
    case "tool":
      return batch === null ? undefined : askingCall(batch)?.state.question.message
    default:
      return assertNever(cause)
  }
}

/**
 * Waits for as long as it takes, or until the configured limit on pauses has passed. The caller must reset the condition
 * that ended the wait before it waits again: otherwise the loop would spin inside one workflow task.
 */
const waitInPause = async (context: SessionContext, isOver: () => boolean): Promise<void> => {
  const seconds = context.settings?.timing.pauseTimeoutSeconds ?? 0
  const { pause } = context.state.run
  if (seconds === 0 || pause === null) return condition(isOver)
  // Decisions that leave calls pending, and a new execution, do not start the time again.
  const leftMs = (pause.openedAtMs ?? Date.now()) + seconds * 1_000 - Date.now()
  if (!(await condition(isOver, Math.max(1, leftMs)))) throw new PauseTimeout(seconds)
}

/** Returns whether decisions were applied while the session continued as new: the store still shows their calls as pending. */
const hasUnrecordedDecisions = ({ state: { run } }: SessionContext): boolean =>
  run.outbox.some(({ type }) => type === "decision-recorded")

const recordDecisions = async (context: SessionContext): Promise<void> => {
  await attributeDecisions(context)
  const checkpointId = context.state.run.pause?.checkpointId ?? ""
  await withOutbox(context.state, (outbox) => {
    const remainingCallIds = pendingOf(context).map(({ id }) => id)
    return storeActivities.recordDecisions({ ...runScope(context), checkpointId, remainingCallIds, outbox })
  })
}

const endDecisionPause = async (context: SessionContext): Promise<void> => {
  const checkpointId = context.state.run.pause?.checkpointId ?? ""
  showEnd(context)
  await attributeDecisions(context)
  await auditOperators(context)
  await checkEdits(context, checkpointId)
}

const endInputPause = async (context: SessionContext, cause: InputCause): Promise<void> => {
  showEnd(context)
  await adoptNamedLimits(context)
  if (cause === "tool") answerAskingCall(context)
  await attributeMessages(context)
  await auditOperators(context)
}

const showEnd = (context: SessionContext): void => {
  endOpenPause(context.state)
  showStatus(context, "running")
  notifyParent(context, "running")
}

/** Gives the first answer to the call that asked. Steering is no answer. */
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
