import { checkSlotOffer } from "../../domain/lane/lane-message.ts"
import { isEarly, addEarlyMessage } from "../../domain/session/early-messages.ts"
import { checkDecide, checkMessage } from "../../domain/operator/operator-argument.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import type { DecisionSender } from "../../domain/session/session-state.ts"
import type { SessionContext } from "../session/session-context.ts"
import { checkChildReport, takeChildReport } from "../children/child-reports.ts"
import { applyOffer } from "../lane/lane-slot.ts"
import { checkModel, takeChosenModel } from "./choose-model.ts"
import { handleSignal } from "../messages/described-handlers.ts"
import { isFull, isFullAfter, tooMuchWaits } from "../messages/inbox-limits.ts"
import {
  bindingSignal,
  childSignal,
  decideSignal,
  inboxSignal,
  setModelSignal,
  slotSignal,
} from "../messages/messages.ts"
import { onSignal } from "./on-signal.ts"
import { registerOperatorSignals } from "./operator-signals.ts"
import {
  takeDecision,
  decisionOf,
  openDecisionPause,
  receiveMessage,
  decisionRefusal,
  senderByHand,
} from "../messages/take-decision.ts"

const withSender = (value: unknown): { readonly sender?: DecisionSender } => {
  const sender = senderByHand(value)
  return sender === undefined ? {} : { sender }
}

/** Signals never throw: what cannot be accepted becomes a warning. */
export const registerSignals = (context: SessionContext): void => {
  handleSignal(inboxSignal, (value) =>
    onSignal(context, { name: "inbox", value }, checkMessage, (message) => {
      if (isFull(context.state, message)) return tooMuchWaits
      if (message.type === "message" && isEarly(context.state, message.checkpoint_id)) {
        addEarlyMessage(context.state, { kind: "answer", message })
        return undefined
      }
      return receiveMessage(context, message)
    }),
  )
  handleSignal(childSignal, (value) =>
    onSignal(context, { name: "child", value }, checkChildReport, (report) => takeChildReport(context, report)),
  )
  handleSignal(bindingSignal, () => {
    context.bindingChanged = true
  })
  handleSignal(slotSignal, (value) =>
    onSignal(context, { name: "slot", value }, checkSlotOffer, (offer) => applyOffer(context, offer)),
  )
  handleSignal(decideSignal, (value) => {
    const isByHand = senderByHand(value) !== undefined
    onSignal(context, { name: "decide", value: decisionOf(context, value), isByHand }, checkDecide, (payload) => {
      if (isEarly(context.state, payload.checkpoint_id)) {
        if (isFull(context.state, { kind: "decision", decide: payload })) return tooMuchWaits
        addEarlyMessage(context.state, { kind: "decision", decide: payload, ...withSender(value) })
        return undefined
      }
      const refusal = decisionRefusal(context, payload)
      if (refusal !== undefined) return refusal.message
      if (isFullAfter(context.state, openDecisionPause(context), payload)) return tooMuchWaits
      takeDecision(context, payload, senderByHand(value))
      return undefined
    })
  })
  handleSignal(setModelSignal, (value) =>
    onSignal(
      context,
      { name: "setModel", value },
      (given) => checkModel(context, given),
      (model) => {
        const id = isRecord(value) ? value["id"] : undefined
        takeChosenModel(context, model, typeof id === "string" ? id.slice(0, 200) : undefined)
        return undefined
      },
    ),
  )
  registerOperatorSignals(context)
}
