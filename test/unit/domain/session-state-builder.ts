import { noSlot } from "../../../domain/lane/slot-state.ts"
import { noSignalsByHand } from "../../../domain/session/signals-by-hand.ts"
import { newRun, type RunState, type SessionState } from "../../../domain/session/session-state.ts"

/** Returns the state of a session whose run has just begun. */
export const sessionState = (run: RunState = newRun({ run_id: "r", snapshot_hash: "h" })): SessionState => ({
  sessionId: "s",
  headSeq: 0,
  run,
  waiting: [],
  followUps: [],
  decisionIds: [],
  messageIds: [],
  pastCheckpoints: [],
  early: [],
  announcedSteering: [],
  modelOverride: null,
  operatorSignals: 0,
  signalsByHand: noSignalsByHand,
  auditedSignals: 0,
  hasUpdatesByHand: false,
  unattributed: [],
  unsigned: [],
  unverified: [],
  warnings: [],
  slot: noSlot,
  reports: [],
  openSessions: [],
  earlyReports: [],
})
