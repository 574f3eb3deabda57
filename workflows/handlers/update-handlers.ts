import { ApplicationFailure, currentUpdateInfo, setHandler } from "@temporalio/workflow"
import type { Refusal } from "../../domain/calls/apply-decision.ts"
import { refuseMessage } from "../../domain/session/accept-message.ts"
import { isEarly } from "../../domain/session/early-messages.ts"
import { refuseWithdrawal, removeMessage } from "../../domain/session/withdraw-message.ts"
import { hasRoomFor } from "../../domain/session/inbox-capacity.ts"
import {
  notYetFailureType,
  queuedRunId,
  refusedFailureType,
  type SessionMessage,
  type UpdateAnswer,
} from "../../domain/session/session-message.ts"
import type { Checked } from "../../domain/checked.ts"
import { checkDecide, checkMessage } from "../../domain/operator/operator-argument.ts"
import { isDecisionByHand, textByHand } from "../../domain/operator/input-by-hand.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { withoutStack } from "../../domain/text/without-stack.ts"
import type { SessionContext } from "../session/session-context.ts"
import { checkModel, takeChosenModel } from "./choose-model.ts"
import { updateDescriptions } from "../messages/described-handlers.ts"
import { leavesRoom, tooMuchWaits } from "../messages/inbox-limits.ts"
import { decideUpdate, sendUpdate, setModelUpdate, steerUpdate, withdrawUpdate } from "../messages/messages.ts"
import {
  currentMessageState,
  takeDecision,
  decisionOf,
  openDecisionPause,
  decisionRefusal,
  takeMessage,
  senderByHand,
} from "../messages/take-decision.ts"

const noRoom: Refusal = { code: "payload_too_large", message: tooMuchWaits }

const fail = (failure: { readonly type: string; readonly message: string; readonly details?: string[] }): never => {
  throw withoutStack(ApplicationFailure.create({ ...failure, nonRetryable: true }))
}

const refuse = ({ code, message }: Refusal): never => fail({ type: refusedFailureType, message, details: [code] })

/** The refusal of an update that comes before its pause is open. A signal with the same content would be kept until then. */
const refuseEarly = (context: SessionContext, checkpointId: string | undefined): void => {
  if (isEarly(context.state, checkpointId))
    fail({ type: notYetFailureType, message: "the pause is just being opened: send the signal instead" })
}

const orRefuse = <T>(checked: Checked<T>): T =>
  checked.ok ? checked.value : refuse({ code: "invalid_argument", message: checked.problem })

const answer = (context: SessionContext): UpdateAnswer => ({ run_id: context.state.run.reference.run_id })

/** Returns the id of what was sent by hand. It has none of its own, so it is named after its update. */
const updateId = (): string => `ui-${currentUpdateInfo()?.id ?? ""}`.slice(0, 200)

const messageOfUpdate = (context: SessionContext, name: "send" | "steer", value: unknown): Checked<SessionMessage> => {
  const typed = textByHand(value)
  if (typed === undefined) return checkMessage(value)
  if (!typed.ok) return typed
  const usual = currentMessageState(context) === "asking" ? "message" : "follow_up"
  const type = name === "steer" ? "steering" : (typed.value.type ?? usual)
  const source = type === "message" ? "input" : type
  return { ok: true, value: { id: updateId(), type, source, text: typed.value.text } }
}

const messageUpdate = (context: SessionContext, name: "send" | "steer") => ({
  handler: (value: unknown): UpdateAnswer => {
    const message = orRefuse(messageOfUpdate(context, name, value))
    if (message.text !== undefined) context.state.hasUpdatesByHand = true
    takeMessage(context, currentMessageState(context), message)
    const isQueued = context.state.followUps.some(({ id }) => id === message.id)
    return isQueued ? { run_id: queuedRunId(message) } : answer(context)
  },
  validator: (value: unknown): void => {
    const message = orRefuse(messageOfUpdate(context, name, value))
    if (message.type === "message") refuseEarly(context, message.checkpoint_id)
    const refusal = refuseMessage(context.state, currentMessageState(context), message)
    if (refusal !== undefined) refuse(refusal)
    if (!hasRoomFor(context.state, message)) refuse(noRoom)
  },
})

const withdrawnId = (value: unknown): string => {
  const id = isRecord(value) ? value["id"] : undefined
  return orRefuse<string>(
    typeof id === "string" && id !== "" && id.length <= 200
      ? { ok: true, value: id }
      : { ok: false, problem: "expected {id}, the id of a queued message" },
  )
}

const registerWithdraw = (context: SessionContext): void =>
  setHandler(
    withdrawUpdate,
    (value) => {
      removeMessage(context.state, withdrawnId(value))
      return answer(context)
    },
    {
      description: updateDescriptions.withdraw,
      validator: (value) => {
        const refusal = refuseWithdrawal(context.state, currentMessageState(context), withdrawnId(value))
        if (refusal !== undefined) refuse(refusal)
      },
    },
  )

/** Registers the updates. Each has a validator that refuses it before it enters the history. */
export const registerUpdates = (context: SessionContext): void => {
  setHandler(
    decideUpdate,
    (value) => {
      if (isDecisionByHand(value)) context.state.hasUpdatesByHand = true
      takeDecision(context, orRefuse(checkDecide(decisionOf(context, value, updateId()))), senderByHand(value))
      return answer(context)
    },
    {
      description: updateDescriptions.decide,
      validator: (value) => {
        const payload = orRefuse(checkDecide(decisionOf(context, value, updateId())))
        if (!context.state.decisionIds.includes(payload.decision_id)) refuseEarly(context, payload.checkpoint_id)
        const refusal = decisionRefusal(context, payload)
        if (refusal !== undefined) refuse(refusal)
        if (!leavesRoom(context.state, openDecisionPause(context), payload)) refuse(noRoom)
      },
    },
  )
  registerWithdraw(context)
  const send = messageUpdate(context, "send")
  const steer = messageUpdate(context, "steer")
  setHandler(sendUpdate, send.handler, { validator: send.validator, description: updateDescriptions.send })
  setHandler(steerUpdate, steer.handler, { validator: steer.validator, description: updateDescriptions.steer })
  setHandler(
    setModelUpdate,
    (value) => {
      takeChosenModel(context, orRefuse(checkModel(context, value)), currentUpdateInfo()?.id)
      return answer(context)
    },
    {
      description: updateDescriptions.setModel,
      validator: (value) => {
        const checked = checkModel(context, value)
        if (!checked.ok) refuse({ code: "model_not_found", message: checked.problem })
      },
    },
  )
}
