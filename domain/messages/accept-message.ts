import type { Refusal } from "../approval/apply-decision.ts"
import type { SessionMessage } from "./session-message.ts"
import { emit, limitApproval, rememberId, type SessionState, toWaitingText } from "../run/session-state.ts"

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
      message: `the current run is ${runId}, not ${message.run_id}: look at the session again`,
    }
  if (message.checkpoint_id !== undefined && message.checkpoint_id !== state.run.pause?.checkpointId)
    return { code: "checkpoint_stale", message: "that pause is over: look at the session for what waits now" }
  if (message.budget !== undefined && state.run.pause?.cause !== "budget")
    return {
      code: "limit_widened",
      message: "a budget can only be raised while the run is paused because it is used up",
    }
  if (message.type === "message" && messageState === "running")
    return { code: "session_already_running", message: "the session is running: steer it, or queue a follow-up" }
  if (message.type === "message" && messageState === "deciding")
    return {
      code: "session_already_running",
      message: "the session waits for decisions on tool calls: approve or reject them, steer it, or queue a follow-up",
    }
  if (message.type === "steering" && messageState === "ended")
    return { code: "session_not_running", message: "nothing runs in this session: send a message to start a run" }
  return undefined
}

/**
 * An answer to another pause, or to another run, than the one that is there. A signal cannot be refused: it is ignored, with a warning. What
 * would be queued as well (a follow-up) is no answer then.
 */
export const isStaleAnswer = ({ run }: SessionState, message: SessionMessage): boolean =>
  message.type !== "steering" &&
  run.pause?.type === "input_required" &&
  ((message.checkpoint_id !== undefined && message.checkpoint_id !== run.pause.checkpointId) ||
    (message.run_id !== undefined && message.run_id !== run.reference.run_id))

/** Accepts a message that `refuseMessage` let pass, or one that came by signal and must not be lost whatever the session does. */
export const acceptMessage = (state: SessionState, messageState: MessageState, message: SessionMessage): void => {
  if (!rememberId(state.messageIds, message.id)) return
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
  limitApproval(state.run, message.approval)
  if (message.new_run !== undefined) state.run.narrowedBy = message.new_run.snapshot_hash
  state.run.budgetExhausted = false
  state.waiting.push(toWaitingText({ ...message, source: "input" }))
}

/** Emits an event for each steering message that has reached a safe point. */
export const announceSteering = (state: SessionState): void => {
  for (const text of state.waiting)
    if (text.source === "steering" && !state.announcedSteering.includes(text.inboxId)) {
      state.announcedSteering.push(text.inboxId)
      emit(state.run, "steering-applied", { message_id: text.inboxId })
    }
}
