import type { Decide } from "../../contracts/approval/decision.ts"
import type { UserSource } from "../../contracts/message.ts"
import type { EventType } from "../../contracts/event.ts"
import type { PauseType } from "../../contracts/approval/pause.ts"
import { type Approval, narrowApproval } from "../approval/narrow-approval.ts"
import type { ChildState } from "../limits/child-state.ts"
import type { RecordedDecisions } from "../approval/apply-decision.ts"
import type { LastAnswer } from "./next-step.ts"
import type { QueuedMessage, RunReference, SessionMessage } from "../messages/session-message.ts"
import type { SlotState } from "../lane/slot-state.ts"
import type { ToolBatch } from "./tool-batch.ts"
import { noUsage, type UsageTotals } from "../limits/usage-totals.ts"

/**
 * A decision or an answer for a pause that people see and the workflow has not opened: its worker died after the pause was written and before the
 * engine knew. The workflow opens it again, under the same checkpoint.
 */
export type EarlyMessage =
  | { readonly kind: "decision"; readonly decide: Decide }
  | { readonly kind: "answer"; readonly message: SessionMessage }

/** A text that the model has not seen yet: an inbox row by reference, or what an operator typed. */
export interface WaitingText {
  readonly source: UserSource
  readonly inboxId: string
  readonly text?: string
}

export interface OpenPauseState {
  readonly checkpointId: string
  readonly type: PauseType
  readonly cause: "approval" | "text" | "budget" | "tool"
  readonly decided: RecordedDecisions
  /** What the UI shows, made once when the pause opened. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly preview: string }[]
  readonly message: string
}

/** One run's own state. Plain data: continue-as-new passes it on. */
export interface RunState {
  reference: RunReference
  /** Settings of the session's run before: this one's are at most these. */
  readonly followsHash?: string
  opened: boolean
  stepsTaken: number
  continuations: number
  emptyAnswers: number
  lastAnswer: LastAnswer | null
  batch: ToolBatch | null
  budgetExhausted: boolean
  /** A tool left a process running in the background. */
  hasBackground: boolean
  pause: OpenPauseState | null
  pauseCount: number
  /** Running time so far; waiting is not counted. */
  ranMs: number
  usage: UsageTotals
  eventOrdinal: number
  outbox: { ordinal: number; type: EventType; data: Readonly<Record<string, unknown>> }[]
  closedCheckpoint: string | null
  children: ChildState[]
  /** What children that ended have used; counts against the run's budget. */
  childrenUsage: UsageTotals
  /** A person's raise at a budget pause replaces the snapshot's budget. */
  budget: { readonly microUsd: number | null; readonly tokens: number | null } | null
  /** Settings that the answer to the present pause names. */
  narrowedBy?: string | null
  /** The most approval that the senders of its messages may give, until the run's settings have it. */
  narrowedApproval?: Approval | null
}

/** All that a session's workflow knows between two actions. Plain data. */
export interface SessionState {
  readonly sessionId: string
  headSeq: number
  run: RunState
  waiting: WaitingText[]
  followUps: QueuedMessage[]
  /** Ids of decisions already applied: an update runs again after continue-as-new. */
  decisionIds: string[]
  messageIds: string[]
  /** Checkpoints of pauses that are over. */
  pastCheckpoints: string[]
  early: readonly EarlyMessage[]
  /** Steering whose event was emitted. */
  announcedSteering: string[]
  modelOverride: string | null
  hostQueue: string | null
  operatorSignals: number
  /** How many of them the audit knows. */
  auditedSignals: number
  /** Updates that were typed by hand are in history only after the task that takes them: the run's end looks for them. */
  hasTypedUpdates: boolean
  warnings: string[]
  slot: SlotState
  /** Runs that ended in sessions below which stay open, and that the model has not been told of. */
  reports: readonly { readonly childId: string; readonly runId: string }[]
  /** Sessions below that stay open: they are cancelled with this one. */
  openSessions: readonly string[]
}

const rememberedIds = 100

/** Remembers an id; false when it was already there. */
export const rememberId = (ids: string[], id: string): boolean => {
  if (ids.includes(id)) return false
  ids.push(id)
  if (ids.length > rememberedIds) ids.splice(0, ids.length - rememberedIds)
  return true
}

export const newRun = (reference: RunReference, followsHash?: string): RunState => ({
  reference,
  ...(followsHash === undefined ? {} : { followsHash }),
  opened: false,
  stepsTaken: 0,
  continuations: 0,
  emptyAnswers: 0,
  lastAnswer: null,
  batch: null,
  budgetExhausted: false,
  hasBackground: false,
  pause: null,
  pauseCount: 0,
  ranMs: 0,
  usage: noUsage,
  eventOrdinal: 0,
  outbox: [],
  closedCheckpoint: null,
  children: [],
  childrenUsage: noUsage,
  budget: null,
})

/** From now on the run has at most this approval: its settings get it before the model is asked again. */
export const limitApproval = (run: RunState, approval: Approval | null | undefined): void => {
  if (approval == null || approval === "all") return
  run.narrowedApproval = narrowApproval(run.narrowedApproval ?? "all", approval)
}

/** Queues an event that originates in the workflow; it rides in the next activity's input. */
export const emit = (run: RunState, type: EventType, data: Readonly<Record<string, unknown>>): void => {
  run.outbox.push({ ordinal: run.eventOrdinal, type, data })
  run.eventOrdinal += 1
}

export const toWaitingText = (message: SessionMessage): WaitingText => ({
  source: message.source,
  inboxId: message.id,
  ...(message.text === undefined ? {} : { text: message.text }),
})
