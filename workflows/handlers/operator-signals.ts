import { setDefaultSignalHandler } from "@temporalio/workflow"
import type { Decide } from "../../contracts/approval/decision.ts"
import { namedApprovalText } from "../../domain/calls/apply-decision.ts"
import { acceptMessage } from "../../domain/session/accept-message.ts"
import { type CallSelection, checkApprove, checkReject, checkText } from "../../domain/operator/operator-argument.ts"
import { selectedCalls } from "../../domain/operator/selected-calls.ts"
import { operator } from "../../domain/operator/input-by-hand.ts"
import type { SessionMessage } from "../../domain/session/session-message.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import { pendingCalls } from "../../domain/calls/tool-batch.ts"
import { handleSignal } from "../messages/described-handlers.ts"
import { isFull, isFullAfter, tooMuchWaits } from "../messages/inbox-limits.ts"
import {
  approveSignal,
  decideSignal,
  inputSignal,
  rejectSignal,
  retrySignal,
  steerSignal,
} from "../messages/messages.ts"
import { onSignal } from "./on-signal.ts"
import { type SessionContext, warn } from "../session/session-context.ts"
import { retryProvider } from "../provider/wait-for-provider.ts"
import { takeDecision, openDecisionPause, currentMessageState, isSecondAnswer } from "../messages/take-decision.ts"

/** Only calls pending right now, never kept for later. */
const decideFromUi = (context: SessionContext, name: "approve" | "reject") => {
  return (selection: CallSelection, reason?: string): string | undefined => {
    const pause = openDecisionPause(context)
    if (pause === undefined) return "no call waits for a decision"
    const selected = selectedCalls(name, selection, pendingCalls(pause.batch))
    if ("problem" in selected) return selected.problem
    context.state.operatorSignals += 1
    const decision =
      name === "approve"
        ? { action: "accept" as const }
        : { action: "reject" as const, ...(reason === undefined ? {} : { content: reason }) }
    const payload: Decide = {
      decision_id: `ui-${context.state.run.pauseCount}-${context.state.operatorSignals}`,
      decisions: Object.fromEntries(selected.ids.map((id) => [id, decision])),
      unlisted: "pending",
      via: operator.via,
    }
    if (isFullAfter(context.state, pause, payload)) return tooMuchWaits
    takeDecision(context, payload, operator)
    // The signal was not ignored: the others are approved.
    if (selected.left.length > 0) warn(context, `signal \`${name}\`: ${namedApprovalText(selected.left)}`)
    return undefined
  }
}

const messageByHand = (context: SessionContext, type: "message" | "steering", text: string): SessionMessage => {
  context.state.operatorSignals += 1
  return {
    id: `ui-${context.state.run.reference.run_id}-${context.state.operatorSignals}`,
    type,
    source: type === "steering" ? "steering" : "input",
    text,
  }
}

const takeByHand = (context: SessionContext, message: SessionMessage): string | undefined => {
  if (isFull(context.state, message)) return tooMuchWaits
  acceptMessage(context.state, currentMessageState(context), message)
  return undefined
}

const namesByHand = [approveSignal, rejectSignal, inputSignal, steerSignal, decideSignal, retrySignal].map(
  ({ name }) => name,
)
const maxNameCharacters = 100

/** A signal with a mistyped name would otherwise have no effect without a word. It is only shown: it may come from a later version. */
const warnOfUnknown = (context: SessionContext): void =>
  setDefaultSignalHandler((name) => {
    const shown = startOf(name, maxNameCharacters)
    warn(context, `signal \`${shown}\`: a session has no signal of this name${didYouMean(shown, namesByHand)}`)
  })

/** Registers the signals that people send from the Temporal UI. */
export const registerOperatorSignals = (context: SessionContext): void => {
  handleSignal(approveSignal, (value) =>
    onSignal(context, { name: "approve", value, isByHand: true }, checkApprove, (ids) =>
      decideFromUi(context, "approve")(ids),
    ),
  )
  handleSignal(rejectSignal, (value) =>
    onSignal(context, { name: "reject", value, isByHand: true }, checkReject, ({ ids, reason }) =>
      decideFromUi(context, "reject")(ids, reason),
    ),
  )
  handleSignal(inputSignal, (value) =>
    onSignal(context, { name: "input", value, isByHand: true }, checkText, (text) => {
      if (currentMessageState(context) !== "asking" || isSecondAnswer(context, { type: "message" }))
        return "the session does not wait for an answer"
      return takeByHand(context, messageByHand(context, "message", text))
    }),
  )
  handleSignal(retrySignal, () => {
    const problem = retryProvider(context)
    if (problem !== undefined) warn(context, `signal \`retry\`: ${problem}`)
    // A program signs it, which an activity verifies.
    context.state.operatorSignals += 1
  })
  handleSignal(steerSignal, (value) =>
    onSignal(context, { name: "steer", value, isByHand: true }, checkText, (text) => {
      return takeByHand(context, messageByHand(context, "steering", text))
    }),
  )
  warnOfUnknown(context)
}
