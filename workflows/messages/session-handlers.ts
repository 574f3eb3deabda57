import { ApplicationFailure, currentUpdateInfo, setHandler } from "@temporalio/workflow"
import { refuseMessage, acceptMessage } from "../../domain/messages/accept-message.ts"
import type { Refusal } from "../../domain/approval/apply-decision.ts"
import { isEarly, addEarlyMessage } from "../../domain/messages/early-messages.ts"
import { hasRoomFor } from "../../domain/messages/inbox-capacity.ts"
import { type Checked, checkDecide, checkMessage } from "../../domain/operator/operator-argument.ts"
import { checkSlotOffer } from "../../domain/lane/lane-message.ts"
import {
  notYetFailureType,
  queuedRunId,
  refusedFailureType,
  type SessionMessage,
  type UpdateAnswer,
} from "../../domain/messages/session-message.ts"
import { withoutStack } from "../../domain/text/without-stack.ts"
import { isTypedDecision, namedDecision, typedText } from "../../domain/operator/typed-input.ts"
import { isFull, isFullAfter, leavesRoom, tooMuchWaits } from "./inbox-limits.ts"
import {
  bindingSignal,
  childSignal,
  decideSignal,
  decideUpdate,
  hostSignal,
  inboxSignal,
  sendUpdate,
  setModelUpdate,
  slotSignal,
  steerUpdate,
} from "./messages.ts"
import { checkChildReport, takeChildReport } from "../children/child-reports.ts"
import { takeOffer } from "../lane/lane-slot.ts"
import { onSignal } from "./on-signal.ts"
import { isUndecodable } from "../payload-converter.ts"
import { registerOperatorSignals } from "./operator-signals.ts"
import type { SessionContext } from "../agent/session-context.ts"
import { decide, openPause, currentMessageState, refusalOf, takeArrived } from "./take-decision.ts"

const noRoom: Refusal = { code: "payload_too_large", message: tooMuchWaits }

const refuse = (refusal: Refusal): never => {
  throw withoutStack(
    ApplicationFailure.create({
      type: refusedFailureType,
      message: refusal.message,
      nonRetryable: true,
      details: [refusal.code],
    }),
  )
}

/** The signal of the same content is kept until the pause is open. */
const refuseEarly = (context: SessionContext, checkpointId: string | undefined): void => {
  if (isEarly(context.state, checkpointId))
    throw withoutStack(
      ApplicationFailure.create({
        type: notYetFailureType,
        message: "the pause is just being opened: send the signal instead",
        nonRetryable: true,
      }),
    )
}

const orRefuse = <T>(checked: Checked<T>): T =>
  checked.ok ? checked.value : refuse({ code: "invalid_argument", message: checked.problem })

const answer = (context: SessionContext): UpdateAnswer => ({ run_id: context.state.run.reference.run_id })

/** A signal that was typed by hand is counted, which gives it an id. */
const decisionOf = (context: SessionContext, value: unknown, id?: string): unknown => {
  if (!isTypedDecision(value) || isUndecodable(value)) return value
  if (id !== undefined) return namedDecision(value, id)
  context.state.operatorSignals += 1
  return namedDecision(value, `ui-${context.state.run.reference.run_id}-${context.state.operatorSignals}`)
}

const registerSignals = (context: SessionContext): void => {
  setHandler(inboxSignal, (value) =>
    onSignal(context, { name: "inbox", value }, checkMessage, (message) => {
      if (isFull(context.state, message)) return tooMuchWaits
      if (message.type === "message" && isEarly(context.state, message.checkpoint_id)) {
        addEarlyMessage(context.state, { kind: "answer", message })
        return undefined
      }
      return takeArrived(context, message)
    }),
  )
  setHandler(hostSignal, (value) =>
    onSignal(context, { name: "host", value }, checkHost, (queue) => {
      context.state.hostQueue = queue
      return undefined
    }),
  )
  setHandler(childSignal, (value) =>
    onSignal(context, { name: "child", value }, checkChildReport, (report) => takeChildReport(context, report)),
  )
  setHandler(bindingSignal, () => {
    context.bindingChanged = true
  })
  setHandler(slotSignal, (value) =>
    onSignal(context, { name: "slot", value }, checkSlotOffer, (offer) => takeOffer(context, offer)),
  )
  setHandler(decideSignal, (value) =>
    onSignal(context, { name: "decide", value: decisionOf(context, value) }, checkDecide, (payload) => {
      if (isEarly(context.state, payload.checkpoint_id)) {
        if (isFull(context.state, { kind: "decision", decide: payload })) return tooMuchWaits
        addEarlyMessage(context.state, { kind: "decision", decide: payload })
        return undefined
      }
      const refusal = refusalOf(context, payload)
      if (refusal !== undefined) return refusal.message
      if (isFullAfter(context.state, openPause(context), payload)) return tooMuchWaits
      decide(context, payload)
      return undefined
    }),
  )
  registerOperatorSignals(context)
}

/** Others the engine refuses, and with them every task that the session would offer there. */
const isQueueName = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= 1_000 && !value.startsWith("/_sys/")

const checkHost = (value: unknown): Checked<string | null> => {
  const queue = typeof value === "object" && value !== null && "queue" in value ? value.queue : undefined
  return queue === null || isQueueName(queue) ? { ok: true, value: queue } : { ok: false, problem: "expected {queue}" }
}

/** Typed by hand, an update's own id stands for the ids that programs give. */
const updateId = (): string => `ui-${currentUpdateInfo()?.id ?? ""}`.slice(0, 200)

const messageOf = (context: SessionContext, name: "send" | "steer", value: unknown): Checked<SessionMessage> => {
  const typed = typedText(value)
  if (typed === undefined) return checkMessage(value)
  if (!typed.ok) return typed
  const usual = currentMessageState(context) === "asking" ? "message" : "follow_up"
  const type = name === "steer" ? "steering" : (typed.value.type ?? usual)
  const source = type === "message" ? "input" : type
  return { ok: true, value: { id: updateId(), type, source, text: typed.value.text } }
}

const messageUpdate = (context: SessionContext, name: "send" | "steer") => ({
  handler: (value: unknown): UpdateAnswer => {
    const message = orRefuse(messageOf(context, name, value))
    if (message.text !== undefined) context.state.hasTypedUpdates = true
    acceptMessage(context.state, currentMessageState(context), message)
    const isQueued = context.state.followUps.some(({ id }) => id === message.id)
    return isQueued ? { run_id: queuedRunId(message) } : answer(context)
  },
  validator: (value: unknown): void => {
    const message = orRefuse(messageOf(context, name, value))
    if (message.type === "message") refuseEarly(context, message.checkpoint_id)
    const refusal = refuseMessage(context.state, currentMessageState(context), message)
    if (refusal !== undefined) refuse(refusal)
    if (!hasRoomFor(context.state, message)) refuse(noRoom)
  },
})

const checkModel = (context: SessionContext, value: unknown): Checked<string> => {
  const name = typeof value === "object" && value !== null && "model" in value ? value.model : value
  if (typeof name !== "string" || name === "") return { ok: false, problem: "expected {model}" }
  const known = context.settings?.modelNames
  return known === undefined || known.includes(name)
    ? { ok: true, value: name }
    : { ok: false, problem: `unknown model ${name}; configured: ${known.join(", ")}` }
}

const registerUpdates = (context: SessionContext): void => {
  setHandler(
    decideUpdate,
    (value) => {
      if (isTypedDecision(value)) context.state.hasTypedUpdates = true
      decide(context, orRefuse(checkDecide(decisionOf(context, value, updateId()))))
      return answer(context)
    },
    {
      validator: (value) => {
        const payload = orRefuse(checkDecide(decisionOf(context, value, updateId())))
        if (!context.state.decisionIds.includes(payload.decision_id)) refuseEarly(context, payload.checkpoint_id)
        const refusal = refusalOf(context, payload)
        if (refusal !== undefined) refuse(refusal)
        if (!leavesRoom(context.state, openPause(context), payload)) refuse(noRoom)
      },
    },
  )
  const send = messageUpdate(context, "send")
  const steer = messageUpdate(context, "steer")
  setHandler(sendUpdate, send.handler, { validator: send.validator })
  setHandler(steerUpdate, steer.handler, { validator: steer.validator })
  setHandler(
    setModelUpdate,
    (value) => {
      context.state.modelOverride = orRefuse(checkModel(context, value))
      return answer(context)
    },
    {
      validator: (value) => {
        const checked = checkModel(context, value)
        if (!checked.ok) refuse({ code: "model_not_found", message: checked.problem })
      },
    },
  )
}

/** Handlers only check and enqueue: they never await, and signals never throw. */
export const registerHandlers = (context: SessionContext): void => {
  registerSignals(context)
  registerUpdates(context)
}
