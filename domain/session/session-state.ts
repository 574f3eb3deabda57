import type { SignalsByHand } from "./signals-by-hand.ts"
import type { Decide } from "../../contracts/approval/decision.ts"
import type { Warning } from "../../contracts/run/warning.ts"
import type { UserSource } from "../../contracts/message.ts"
import type { EventType } from "../../contracts/event.ts"
import type { PauseType } from "../../contracts/approval/pause.ts"
import { type RunApproval, narrowApproval } from "../approval/narrow-approval.ts"
import type { ChildState, EarlyReport, Reserve } from "../limits/child-state.ts"
import type { RecordedDecisions } from "../calls/apply-decision.ts"
import type { StepsEnd } from "../run/last-answer.ts"
import type { LastAnswer } from "../run/next-step.ts"
import type { ModelFallback } from "../run/model-fallback.ts"
import type { RepeatedCall } from "../calls/repeated-calls.ts"
import type { ProviderOutage } from "../run/provider-outage.ts"
import type { QueuedMessage, RunReference, SessionMessage } from "./session-message.ts"
import type { SlotState } from "../lane/slot-state.ts"
import type { ToolBatch } from "../calls/tool-batch.ts"
import { noUsage, type UsageTotals } from "../limits/usage-totals.ts"

/** Who sent a decision, as far as that is verified. */
export interface DecisionSender {
  readonly by: string | null
  readonly via: string
}

/** A decision that was applied, but whose sender is not known yet. Its event waits for that, so that it names the sender. */
export interface UnattributedDecision {
  readonly decide: Decide
  readonly checkpointId: string
  readonly actions: RecordedDecisions
}

/**
 * A decision or an answer for a pause that is in the store but not open in the workflow: the worker died after it wrote the pause and before the
 * engine recorded that. The workflow opens the pause again, with the same checkpoint.
 */
export type EarlyMessage =
  | { readonly kind: "decision"; readonly decide: Decide; readonly sender?: DecisionSender }
  | { readonly kind: "answer"; readonly message: SessionMessage }

/** A text that the model has not seen yet: a reference to an inbox row, or a text that an operator typed. */
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
  /** When it opened, in milliseconds since 1970, by the workflow's clock. Absent in a pause that an earlier version opened. */
  readonly openedAtMs?: number
  /** What the engine's UI shows; created once, when the pause opens. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly preview: string }[]
  readonly message: string
}

/** The wait of a run for its provider's rate limit. */
export interface RateLimitWait {
  /** ISO 8601 UTC. */
  readonly since: string
  /** Milliseconds since 1970. */
  readonly nextAtMs: number
  /** The model that waits; another one is called at once. */
  readonly model: string
  /** Attempts of its call that failed before the wait. */
  readonly failedAttempts: number
}

/** The state of one run. Plain data: continue-as-new passes it on. */
export interface RunState {
  reference: RunReference
  /** Hash of the settings of the session's previous run: this run may not have wider ones. */
  readonly followsHash?: string
  opened: boolean
  /** The execution that opened the run, or continued it as new. Another one was reset. Absent in a run that an earlier version opened. */
  execution?: string | undefined
  beforeHooks: "due" | "done"
  stepsTaken: number
  /** Absent while the run has enough steps left. */
  stepsEnd?: StepsEnd
  continuations: number
  emptyAnswers: number
  lastAnswer: LastAnswer | null
  /** A server was found to cut its prompts, which is said once. */
  isPromptCut?: true
  /** What a person should know about the run even if it completes. */
  warnings?: readonly Warning[]
  /** The last answer was empty, and the model was asked for its report. That counts as no step. */
  isReportAsked?: boolean
  /** What the current step has used already, in an answer that was empty. */
  usedInStep?: UsageTotals | undefined
  /** An answer of the run has a text. */
  hasSaid?: true
  /** A call that is not read-only has succeeded: the run has done work. */
  hasChanged?: true
  /** The unknown words with which answers ended since the last answer that was used. */
  unknownEnds?: readonly string[]
  /** The provider is unavailable: the next model call waits for it. */
  outage?: ProviderOutage | null
  /** The model that gave the last answer: its key works. */
  answeredBy?: string
  /** The limits of the provider's key allow its next model call later. */
  rateLimit?: RateLimitWait | null
  /** Its model became unavailable in the run, and fallback models take over. */
  fallback?: ModelFallback | null
  /** How often the conversation was shortened for a model since the last answer. */
  compactions?: { readonly model: string; readonly count: number } | null
  /** How often it was in this run. */
  compacted?: number
  /** Why the last answer is not the result that the run requires. The model is told before its next turn. */
  resultProblem?: string | undefined
  batch: ToolBatch | null
  /** A call that the model repeats with the same result, and the step up to which it is counted: it shows that the run makes no progress. */
  repeated?: RepeatedCall | undefined
  repeatsCountedTo?: number
  /** A `finish` call was answered with an error, because sub-agents were active. */
  isFinishRefused?: true
  budgetExhausted: boolean
  /** Why no other model call is covered, if it is not the run's own budget. */
  budgetReason?: string | undefined
  /** A tool left a process running in the background. */
  hasBackground: boolean
  /** The machines that it is on. */
  backgroundMachines?: readonly string[]
  pause: OpenPauseState | null
  pauseCount: number
  /** Running time so far, excluding waits. */
  ranMs: number
  usage: UsageTotals
  /** The last place of the transcript whose texts its thread has received. */
  saidSeq?: number
  /** Someone wrote in its thread while its sub-agents worked. */
  isAskedInThread?: true
  eventOrdinal: number
  outbox: { ordinal: number; type: EventType; data: Readonly<Record<string, unknown>> }[]
  closedCheckpoint: string | null
  children: ChildState[]
  /** A message in its thread has ended its wait for sub-agents. If no other call of the step has to run, the run ends, and the next one answers. */
  isWaitOvertaken?: boolean
  /** The children that still worked when the run ended in a thread: the next run takes them over. */
  passedOn?: readonly string[]
  /** Usage of the children that have ended; counts against the run's budget. */
  childrenUsage: UsageTotals
  /** A budget that a person raised at a budget pause; replaces the snapshot's budget. */
  budget: { readonly microUsd: number | null; readonly tokens: number | null } | null
  /** What earlier runs have left of the sub-agent's share of its parent's budget. Absent if the parent has no budget. */
  shareLeft?: Reserve
  /** Hash of the settings in the answer to the current pause. */
  narrowedBy?: string | null
  /** The most approval that the senders of its messages may give. Null or absent once the run's settings contain it. */
  narrowedApproval?: RunApproval | null
}

/** The whole state of a session's workflow between two actions. Plain data. */
export interface SessionState {
  readonly sessionId: string
  headSeq: number
  run: RunState
  waiting: WaitingText[]
  followUps: QueuedMessage[]
  /** Ids of the decisions already applied: an update may run again after continue-as-new. */
  decisionIds: string[]
  messageIds: string[]
  /** Checkpoints of past pauses. */
  pastCheckpoints: string[]
  /** Checkpoints of questions that have an answer: the pause of the last one can still be open. Absent before the first answer. */
  answeredCheckpoints?: string[]
  early: readonly EarlyMessage[]
  /** Ids of steering messages whose event was emitted. */
  announcedSteering: string[]
  modelOverride: string | null
  /** The machine that has the working directory, where a worker of another machine said so. Its workers get the session's calls first. */
  machine?: string | null
  /** The machines that the session waits for, because none of them has a worker. */
  missingMachines?: readonly string[]
  operatorSignals: number
  /** Signals that people sent by hand, for example in the Temporal UI, in this execution. */
  signalsByHand: SignalsByHand
  /** How many of `operatorSignals` are in the audit log. */
  auditedSignals: number
  /** An update that a person sent by hand is in the history only after the workflow task that handles it, so the end of the run looks for such updates. */
  hasUpdatesByHand: boolean
  /** Applied decisions whose sender is still to be verified. */
  unattributed: readonly UnattributedDecision[]
  /** Ids of decisions and messages without a valid signature, whose senders are still to be found in this execution's history. */
  unsigned: readonly string[]
  /** Messages whose text is in the store, while it is not verified that a program with that store sent them. */
  unverified: readonly SessionMessage[]
  warnings: string[]
  slot: SlotState
  /** Ended runs of sessions below that stay open, which have not been reported to the model. */
  reports: readonly { readonly childId: string; readonly runId: string }[]
  /** Sessions below that stay open; they are cancelled with this one. */
  openSessions: readonly string[]
  /** Reports of children whose start is not recorded yet, the latest of each. */
  earlyReports: readonly EarlyReport[]
}

const rememberedIds = 100

/** Remembers an id; returns false if it was already there. */
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
  beforeHooks: "due",
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

/** Restricts the run's approval from now on; its settings are updated before the next model call. */
export const limitApproval = (run: RunState, approval: RunApproval | null | undefined): void => {
  if (approval == null || approval === "all") return
  run.narrowedApproval = narrowApproval(run.narrowedApproval ?? "all", approval)
}

/** Adds an event of the workflow to its outbox: the next activity writes it. */
export const emit = (run: RunState, type: EventType, data: Readonly<Record<string, unknown>>): void => {
  run.outbox.push({ ordinal: run.eventOrdinal, type, data })
  run.eventOrdinal += 1
}

/** Queues the event of a decision whose sender is known. */
export const emitAttributed = (
  run: RunState,
  { checkpointId, actions }: Pick<UnattributedDecision, "checkpointId" | "actions">,
  { by, via }: DecisionSender,
): void => emit(run, "decision-recorded", { checkpoint_id: checkpointId, decisions: actions, by, via })

export const toWaitingText = (message: SessionMessage): WaitingText => ({
  source: message.source,
  inboxId: message.id,
  ...(message.text === undefined ? {} : { text: message.text }),
})
