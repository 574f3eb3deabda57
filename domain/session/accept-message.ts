import { checkpointStaleText, type Refusal, runMismatchText } from "../calls/apply-decision.ts"
import { activeChildren } from "../limits/child-state.ts"
import type { SessionMessage } from "./session-message.ts"
import { emit, limitApproval, rememberId, type SessionState, toWaitingText } from "./session-state.ts"

/** The state of a session, as far as a message depends on it. */
export type MessageState = "running" | "deciding" | "asking" | "ended"

export const messageStateOf = (state: SessionState, ended: boolean): MessageState => {
  if (ended) return "ended"
  if (state.run.pause === null) return "running"
  return state.run.pause.type === "input_required" ? "asking" : "deciding"
}

/** Returns why a message cannot be accepted now; undefined when it can. A repetition is accepted and changes nothing. */
export const refuseMessage = (
  state: SessionState,
  messageState: MessageState,
  message: SessionMessage,
): Refusal | undefined => {
  if (state.messageIds.includes(message.id)) return undefined
  const runId = state.run.reference.run_id
  if (message.run_id !== undefined && message.run_id !== runId)
    return {
      code: "run_mismatch",
      message: runMismatchText(runId, message.run_id),
    }
  if (message.checkpoint_id !== undefined && message.checkpoint_id !== state.run.pause?.checkpointId)
    return { code: "checkpoint_stale", message: checkpointStaleText }
  if (isAnsweredBefore(state, message)) return { code: "checkpoint_stale", message: checkpointStaleText }
  if (message.budget !== undefined && state.run.pause?.cause !== "budget")
    return {
      code: "limit_widened",
      message: "a budget can be raised only while the run is paused because its budget is used up",
    }
  if (message.type === "message" && messageState === "running")
    return { code: "session_already_running", message: "the session is running: steer it or queue a follow-up" }
  if (message.type === "message" && messageState === "deciding")
    return {
      code: "session_already_running",
      message: "tool calls are waiting for decisions: approve or reject them, steer the session or queue a follow-up",
    }
  if (message.type === "steering" && messageState === "ended")
    return { code: "session_not_running", message: "the session has no active run: send a message to start one" }
  return undefined
}

/**
 * Returns true for an answer to a pause or run other than the current one. A signal cannot be refused, so such an answer is ignored with a warning;
 * this includes a follow-up, which would otherwise be queued.
 */
export const isStaleAnswer = ({ run }: SessionState, message: SessionMessage): boolean =>
  message.type !== "steering" &&
  run.pause?.type === "input_required" &&
  ((message.checkpoint_id !== undefined && message.checkpoint_id !== run.pause.checkpointId) ||
    (message.run_id !== undefined && message.run_id !== run.reference.run_id))

/** Returns true for an answer to a question that has another one already. The model gets the first alone. */
export const isAnsweredBefore = (
  { run, answeredCheckpoints = [], messageIds }: Pick<SessionState, "run" | "answeredCheckpoints" | "messageIds">,
  message: Pick<SessionMessage, "type" | "checkpoint_id"> & { readonly id?: string },
): boolean => {
  const checkpointId = message.checkpoint_id ?? run.pause?.checkpointId
  if (message.type === "steering" || checkpointId === undefined) return false
  return answeredCheckpoints.includes(checkpointId) && (message.id === undefined || !messageIds.includes(message.id))
}

/** Returns whether a message from the thread waits to begin the next run. */
export const isAskedInThread = ({ followUps }: Pick<SessionState, "followUps">): boolean =>
  followUps.some(({ in_thread }) => in_thread === true)

/**
 * Takes what was written in the thread while sub-agents work for the open run, as earlier versions did. Messages from before the first sub-agent
 * started come first.
 */
export const takeThreadMessages = (state: SessionState): void => {
  if (activeChildren(state.run.children).length === 0) return
  const taken = state.followUps.filter((message) => message.in_thread === true)
  if (taken.length === 0) return
  state.followUps = state.followUps.filter((message) => message.in_thread !== true)
  for (const message of taken) limitApproval(state.run, message.approval)
  state.waiting.push(...taken.map(toWaitingText))
  state.run.isAskedInThread = true
}

/** Accepts a message that `refuseMessage` did not refuse, or one that arrived by signal and must not be lost in any state of the session. */
export const acceptMessage = (state: SessionState, messageState: MessageState, message: SessionMessage): void => {
  if (!rememberId(state.messageIds, message.id)) return
  // A person's typed text is found in the history by its form.
  if (message.text === undefined) state.unverified = [...state.unverified, message]
  if (message.type === "steering" && messageState !== "ended") {
    limitApproval(state.run, message.approval)
    state.waiting.push(toWaitingText(message))
    return
  }
  if (messageState !== "asking") {
    state.followUps.push({ ...message, model_before: state.modelOverride })
    return
  }
  if (message.budget !== undefined && state.run.pause?.cause === "budget") {
    state.run.budget = { microUsd: message.budget.micro_usd, tokens: message.budget.tokens }
  }
  if (state.run.pause !== null) rememberId((state.answeredCheckpoints ??= []), state.run.pause.checkpointId)
  limitApproval(state.run, message.approval)
  if (message.new_run !== undefined) state.run.narrowedBy = message.new_run.snapshot_hash
  state.run.budgetExhausted = false
  state.run.budgetReason = undefined
  state.waiting.push(toWaitingText({ ...message, source: "input" }))
}

/** Emits an event for each steering message that has reached a safe point. */
export const emitAppliedSteering = (state: SessionState): void => {
  for (const text of state.waiting)
    if (text.source === "steering" && !state.announcedSteering.includes(text.inboxId)) {
      state.announcedSteering.push(text.inboxId)
      emit(state.run, "steering-applied", { message_id: text.inboxId })
    }
}
