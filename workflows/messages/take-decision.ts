import { patched } from "@temporalio/workflow"
import type { Decide } from "../../contracts/approval/decision.ts"
import {
  isAnsweredBefore,
  isStaleAnswer,
  type MessageState,
  messageStateOf,
  acceptMessage,
} from "../../domain/session/accept-message.ts"
import {
  checkpointStaleText,
  notIncluded,
  type OpenPause,
  type Refusal,
  refuseDecision,
} from "../../domain/calls/apply-decision.ts"
import { coveredProblem } from "../../domain/operator/covered-text.ts"
import { namedApprovalText } from "../../domain/calls/apply-decision.ts"
import { removeEarlyMessages } from "../../domain/session/early-messages.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionMessage } from "../../domain/session/session-message.ts"
import { isDecisionByHand, namedDecision, operator } from "../../domain/operator/input-by-hand.ts"
import { isUndecodable } from "../payload-converter.ts"
import { pendingCalls } from "../../domain/calls/tool-batch.ts"
import {
  type DecisionSender,
  emitAttributed,
  limitApproval,
  rememberId,
  type UnattributedDecision,
} from "../../domain/session/session-state.ts"
import { takeOldThreadMessages } from "./waiting-messages.ts"
import { applyToPause } from "./apply-to-pause.ts"
import { isFullAfter, tooMuchWaits } from "./inbox-limits.ts"
import { type SessionContext, showDetails, warn } from "../session/session-context.ts"

export const currentMessageState = (context: SessionContext): MessageState =>
  messageStateOf(context.state, isFinal(context.status))

export const openDecisionPause = (context: SessionContext): OpenPause | undefined => {
  const { batch, pause } = context.state.run
  return pause === null || batch === null || pause.type !== "tool_approval_required"
    ? undefined
    : { checkpointId: pause.checkpointId, batch, decided: pause.decided }
}

/** Returns the sender of a decision that a person sent by hand: history has the name. A program states its sender, which is verified later. */
export const senderByHand = (value: unknown): DecisionSender | undefined =>
  isDecisionByHand(value) && !isUndecodable(value) ? operator : undefined

/** Emits the event of an applied decision, or keeps it until its sender is verified. */
const emitDecision = ({ state }: SessionContext, applied: UnattributedDecision, sender?: DecisionSender): void => {
  if (sender === undefined) state.unattributed = [...state.unattributed, applied]
  else emitAttributed(state.run, applied, sender)
}

/** Applies a decision from any channel. No other code does this. */
export const takeDecision = (context: SessionContext, payload: Decide, sender?: DecisionSender): void => {
  const pause = openDecisionPause(context)
  const { state } = context
  if (pause === undefined || state.run.pause === null || !rememberId(state.decisionIds, payload.decision_id)) return
  const { batch, decided, applied } = applyToPause(pause, payload)
  state.run.batch = batch
  state.run.pause = { ...state.run.pause, decided }
  if (applied.length > 0) limitApproval(state.run, payload.approval)
  const actions = Object.fromEntries(applied.map(({ id, action }) => [id, action]))
  if (applied.length > 0) emitDecision(context, { decide: payload, checkpointId: pause.checkpointId, actions }, sender)
  const unnamed = notIncluded(payload.all, pendingCalls(batch))
  if (unnamed.length > 0) warn(context, namedApprovalText(unnamed.map(({ id }) => id)))
  showDetails(context)
}

export const decisionRefusal = (context: SessionContext, payload: Decide): Refusal | undefined =>
  context.state.decisionIds.includes(payload.decision_id)
    ? undefined
    : (refuseDecision(openDecisionPause(context), payload, context.state.run.reference.run_id) ??
      refuseUnsigned(context, payload))

/** A decision that nobody signed decides nothing about a call that a rule covers. What a false signature approves, the gate asks about again. */
const refuseUnsigned = (context: SessionContext, payload: Decide): Refusal | undefined => {
  const message = coveredProblem(openDecisionPause(context), payload)
  return message === undefined ? undefined : { code: "forbidden", message }
}

/** Accepts a message that nothing refuses. */
export const takeMessage = (context: SessionContext, messageState: MessageState, message: SessionMessage): void => {
  acceptMessage(context.state, messageState, message)
  if (messageState !== "ended") takeOldThreadMessages(context)
}

/** Returns whether a signal brings an answer to a question that has one already. Sessions of an earlier version gave all of them to the model. */
export const isSecondAnswer = ({ state }: SessionContext, message: Parameters<typeof isAnsweredBefore>[1]) =>
  isAnsweredBefore(state, message) && patched("questions-have-one-answer")

/** Accepts a message that came by signal. Returns why it is not accepted, where that is so. */
export const receiveMessage = (context: SessionContext, message: SessionMessage): string | undefined => {
  if (!isStaleAnswer(context.state, message) && !isSecondAnswer(context, message)) {
    takeMessage(context, currentMessageState(context), message)
    return undefined
  }
  if (message.type === "message") return checkpointStaleText
  takeMessage(context, "running", message)
  return undefined
}

/** Handles messages that arrived before their pause was open. The pause is open now or will never be. */
export const processEarlyMessages = (context: SessionContext): void => {
  for (const arrival of removeEarlyMessages(context.state)) {
    if (arrival.kind === "answer") {
      const problem = receiveMessage(context, arrival.message)
      if (problem !== undefined) warn(context, `signal \`inbox\`: ${problem}`)
      continue
    }
    const problem =
      decisionRefusal(context, arrival.decide)?.message ??
      (isFullAfter(context.state, openDecisionPause(context), arrival.decide) ? tooMuchWaits : undefined)
    if (problem === undefined) takeDecision(context, arrival.decide, arrival.sender)
    else warn(context, `signal \`decide\`: ${problem}`)
  }
}

/** Returns a decision with an id: one that was typed by hand has none, and is named after the update or counted. */
export const decisionOf = (context: SessionContext, value: unknown, id?: string): unknown => {
  if (!isDecisionByHand(value) || isUndecodable(value)) return value
  if (id !== undefined) return namedDecision(value, id)
  context.state.operatorSignals += 1
  return namedDecision(value, `ui-${context.state.run.reference.run_id}-${context.state.operatorSignals}`)
}
