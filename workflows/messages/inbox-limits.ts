import type { Decide } from "../../contracts/approval/decision.ts"
import { applyDecision, type OpenPause } from "../../domain/calls/apply-decision.ts"
import type { EarlyMessage, SessionState } from "../../domain/session/session-state.ts"
import { applyToPause } from "./apply-to-pause.ts"
import { hasRoomFor, hasRoomForAnswers } from "../../domain/session/inbox-capacity.ts"
import type { SessionMessage } from "../../domain/session/session-message.ts"

export const tooMuchWaits = "too much waits here already: send less, or wait until the session has read it"

/** Checks whether the inbox is full, for signals, which cannot be refused. */
export const isFull = (state: SessionState, arrival: SessionMessage | EarlyMessage): boolean =>
  !hasRoomFor(state, arrival)

/** Checks whether there is room for the answers of a decision until they are in the transcript. */
export const leavesRoom = (state: SessionState, pause: OpenPause | undefined, payload: Decide): boolean =>
  pause === undefined || hasRoomForAnswers(state, applyDecision(pause, payload).batch)

/** Checks whether there is none, for signals, which cannot be refused. */
export const isFullAfter = (state: SessionState, pause: OpenPause | undefined, payload: Decide): boolean =>
  pause !== undefined && !hasRoomForAnswers(state, applyToPause(pause, payload).batch)
