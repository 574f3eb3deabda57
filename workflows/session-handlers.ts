import { ApplicationFailure, setHandler } from "@temporalio/workflow"
import { refuseMessage, takeMessage } from "../domain/accept-message.ts"
import type { Refusal } from "../domain/apply-decision.ts"
import { isEarly, keepEarly } from "../domain/early-arrivals.ts"
import {
  type CallSelection,
  checkApprove,
  type Checked,
  checkDecide,
  checkMessage,
  checkReject,
  checkText,
} from "../domain/operator-argument.ts"
import { checkSlotOffer } from "../domain/lane-message.ts"
import {
  notYetFailureType,
  queuedRunId,
  refusedFailureType,
  type SessionMessage,
  type UpdateAnswer,
} from "../domain/session-message.ts"
import { pendingCalls } from "../domain/tool-batch.ts"
import {
  approveSignal,
  bindingSignal,
  childSignal,
  decideSignal,
  decideUpdate,
  hostSignal,
  inboxSignal,
  inputSignal,
  rejectSignal,
  sendUpdate,
  setModelUpdate,
  slotSignal,
  steerSignal,
  steerUpdate,
} from "./messages.ts"
import { checkChildReport, takeChildReport } from "./child-reports.ts"
import { takeOffer } from "./lane-slot.ts"
import { isUndecodable } from "./payload-converter.ts"
import { type SessionContext, warn } from "./session-context.ts"
import { decide, openPause, receptionNow, refusalOf } from "./take-decision.ts"

const refuse = (refusal: Refusal): never => {
  throw ApplicationFailure.create({
    type: refusedFailureType,
    message: refusal.message,
    nonRetryable: true,
    details: [refusal.code],
  })
}

/** The signal of the same content is kept until the pause is open. */
const refuseEarly = (context: SessionContext, checkpointId: string | undefined): void => {
  if (isEarly(context.state, checkpointId))
    throw ApplicationFailure.create({
      type: notYetFailureType,
      message: "the pause is just being opened: send the signal instead",
      nonRetryable: true,
    })
}

const orRefuse = <T>(checked: Checked<T>): T =>
  checked.ok ? checked.value : refuse({ code: "invalid_argument", message: checked.problem })

const answer = (context: SessionContext): UpdateAnswer => ({ run_id: context.state.run.reference.run_id })

/** Runs a signal's handler on a checked argument; anything else is a visible warning. */
const onSignal = <T>(
  context: SessionContext,
  signal: { readonly name: string; readonly value: unknown },
  check: (value: unknown) => Checked<T>,
  handle: (value: T) => string | undefined,
): void => {
  const checked: Checked<T> = isUndecodable(signal.value)
    ? { ok: false, problem: `could not be decoded (${signal.value.undecodable})` }
    : check(signal.value)
  const problem = checked.ok ? handle(checked.value) : checked.problem
  if (problem !== undefined) warn(context, `signal \`${signal.name}\`: ${problem}`)
}

/** Only calls pending right now, never kept for later. */
const decideFromUi = (context: SessionContext, name: "approve" | "reject") => {
  return (selection: CallSelection, reason?: string): string | undefined => {
    const pause = openPause(context)
    if (pause === undefined) return "no call waits for a decision"
    const pending = pendingCalls(pause.batch).map((call) => call.id)
    const ids = selection === "all" ? pending : selection
    const unknown = ids.filter((id) => !pending.includes(id))
    if (unknown.length > 0) return `no call ${unknown.join(", ")} waits here`
    context.state.operatorSignals += 1
    const decision =
      name === "approve"
        ? { action: "accept" as const }
        : { action: "reject" as const, ...(reason === undefined ? {} : { content: reason }) }
    decide(context, {
      decision_id: `ui-${context.state.run.pauseCount}-${context.state.operatorSignals}`,
      decisions: Object.fromEntries(ids.map((id) => [id, decision])),
      unlisted: "pending",
      via: "temporal-ui",
    })
    return undefined
  }
}

const typedMessage = (context: SessionContext, type: "message" | "steering", text: string): SessionMessage => {
  context.state.operatorSignals += 1
  return {
    id: `ui-${context.state.run.reference.run_id}-${context.state.operatorSignals}`,
    type,
    source: type === "steering" ? "steering" : "input",
    text,
  }
}

const registerSignals = (context: SessionContext): void => {
  setHandler(inboxSignal, (value) =>
    onSignal(context, { name: "inbox", value }, checkMessage, (message) => {
      if (message.type === "message" && isEarly(context.state, message.checkpoint_id))
        keepEarly(context.state, { kind: "answer", message })
      else takeMessage(context.state, receptionNow(context), message)
      return undefined
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
    onSignal(context, { name: "decide", value }, checkDecide, (payload) => {
      if (isEarly(context.state, payload.checkpoint_id)) {
        keepEarly(context.state, { kind: "decision", decide: payload })
        return undefined
      }
      const refusal = refusalOf(context, payload)
      if (refusal === undefined) decide(context, payload)
      return refusal?.message
    }),
  )
  setHandler(approveSignal, (value) =>
    onSignal(context, { name: "approve", value }, checkApprove, (ids) => decideFromUi(context, "approve")(ids)),
  )
  setHandler(rejectSignal, (value) =>
    onSignal(context, { name: "reject", value }, checkReject, ({ ids, reason }) =>
      decideFromUi(context, "reject")(ids, reason),
    ),
  )
  setHandler(inputSignal, (value) =>
    onSignal(context, { name: "input", value }, checkText, (text) => {
      if (receptionNow(context) !== "asking") return "the session does not wait for an answer"
      takeMessage(context.state, "asking", typedMessage(context, "message", text))
      return undefined
    }),
  )
  setHandler(steerSignal, (value) =>
    onSignal(context, { name: "steer", value }, checkText, (text) => {
      takeMessage(context.state, receptionNow(context), typedMessage(context, "steering", text))
      return undefined
    }),
  )
}

const checkHost = (value: unknown): Checked<string | null> => {
  const queue = typeof value === "object" && value !== null && "queue" in value ? value.queue : undefined
  return queue === null || typeof queue === "string"
    ? { ok: true, value: queue }
    : { ok: false, problem: "expected {queue}" }
}

const messageUpdate = (context: SessionContext) => ({
  handler: (value: unknown): UpdateAnswer => {
    const message = orRefuse(checkMessage(value))
    takeMessage(context.state, receptionNow(context), message)
    const isQueued = context.state.followUps.some(({ id }) => id === message.id)
    return isQueued ? { run_id: queuedRunId(message) } : answer(context)
  },
  validator: (value: unknown): void => {
    const message = orRefuse(checkMessage(value))
    if (message.type === "message") refuseEarly(context, message.checkpoint_id)
    const refusal = refuseMessage(context.state, receptionNow(context), message)
    if (refusal !== undefined) refuse(refusal)
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
      decide(context, orRefuse(checkDecide(value)))
      return answer(context)
    },
    {
      validator: (value) => {
        const payload = orRefuse(checkDecide(value))
        if (!context.state.decisionIds.includes(payload.decision_id)) refuseEarly(context, payload.checkpoint_id)
        const refusal = refusalOf(context, payload)
        if (refusal !== undefined) refuse(refusal)
      },
    },
  )
  const message = messageUpdate(context)
  setHandler(sendUpdate, message.handler, { validator: message.validator })
  setHandler(steerUpdate, message.handler, { validator: message.validator })
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
