import { sleep } from "@temporalio/workflow"
import type { Decide } from "../../contracts/approval/decision.ts"
import { type DecisionSender, emitAttributed, type SessionState } from "../../domain/session/session-state.ts"
import { storeActivities } from "../store-activities.ts"
import type { SessionContext } from "./session-context.ts"

/** A timer ends this workflow task: only then is an update that it handled in the history. */
export const untilInHistoryMs = 1

/** Records who signalled, wherever the session was then. The senders are in this execution's history; a later execution has another one. */
export const auditOperators = async (context: SessionContext): Promise<void> => {
  const { state } = context
  if (state.operatorSignals === state.auditedSignals) return
  state.auditedSignals = state.operatorSignals
  const { unsigned, signalsByHand: typedSignals } = state
  await storeActivities.auditOperatorSignals({
    sessionId: state.sessionId,
    runId: state.run.reference.run_id,
    typedSignals,
    ...(unsigned.length === 0 ? {} : { unsigned }),
  })
}

/** Verifies the signature of a decision. One without a valid signature is audited under the identity in history, not under the sender that it states. */
const senderOf = async ({ state }: SessionContext, decide: Decide): Promise<DecisionSender> => {
  const { isSigned, by } = await storeActivities.attributeDecision({
    sessionId: state.sessionId,
    runId: state.run.reference.run_id,
    decide,
    typedSignals: state.signalsByHand,
  })
  if (isSigned) return { by: decide.by ?? null, via: decide.via ?? "signal" }
  // An update enters history only after the workflow task that handles it: the end of the run looks for its sender.
  if (by === null) {
    state.unsigned = [...state.unsigned, decide.decision_id]
    state.hasUpdatesByHand = true
  }
  return { by, via: "temporal" }
}

/** Verifies who sent the decisions that were applied, and emits their events. */
export const attributeDecisions = async (context: SessionContext): Promise<void> => {
  const { state } = context
  for (let [next] = state.unattributed; next !== undefined; [next] = state.unattributed) {
    const sender = await senderOf(context, next.decide)
    state.unattributed = state.unattributed.slice(1)
    emitAttributed(state.run, next, sender)
  }
}

/**
 * Verifies who sent the messages of programs. One without a valid signature is audited under the identity in history: a client
 * of Temporal sent it, without the store.
 */
export const attributeMessages = async ({ state }: SessionContext): Promise<void> => {
  const messages = state.unverified
  if (messages.length === 0) return
  state.unverified = []
  const { missing } = await storeActivities.attributeMessages({
    sessionId: state.sessionId,
    runId: state.run.reference.run_id,
    messages,
    typedSignals: state.signalsByHand,
  })
  if (missing.length === 0) return
  state.unsigned = [...state.unsigned, ...missing]
  state.hasUpdatesByHand = true
}

/** Verifies the senders of the decisions that wait for their pause, while they are in this execution's history. */
const attributeEarly = async (context: SessionContext): Promise<void> => {
  const { state } = context
  for (const arrival of state.early) {
    if (arrival.kind !== "decision" || arrival.sender !== undefined) continue
    const sender = await senderOf(context, arrival.decide)
    state.early = state.early.map((each) => (each === arrival ? { ...arrival, sender } : each))
  }
}

const isAudited = ({ early, unattributed, unverified, ...state }: SessionState): boolean =>
  unattributed.length === 0 &&
  unverified.length === 0 &&
  !state.hasUpdatesByHand &&
  state.operatorSignals === state.auditedSignals &&
  early.every((arrival) => arrival.kind !== "decision" || arrival.sender !== undefined)

/** Records everything that is not recorded yet, before this execution or its run ends. */
export const auditRemaining = async (context: SessionContext): Promise<void> => {
  const { state } = context
  // Never spins: each round after the first records what arrived during the activities of the round before.
  for (;;) {
    await attributeDecisions(context)
    await attributeMessages(context)
    await attributeEarly(context)
    if (state.hasUpdatesByHand) {
      state.hasUpdatesByHand = false
      await sleep(untilInHistoryMs)
      state.auditedSignals = -1
    }
    await auditOperators(context)
    if (isAudited(state)) return
  }
}
