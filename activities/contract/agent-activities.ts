import type { Warning } from "../../contracts/run/warning.ts"
import type {
  AttributeInput,
  AttributeMessagesInput,
  AuditInput,
  DecisionOrigin,
  MessageOrigins,
} from "./operator-audit.ts"
import type { CheckEditsInput, PreviewCallsInput } from "./approval-calls.ts"
import type { CallModelResult } from "./call-model-result.ts"
import type { RunScope } from "./run-scope.ts"
import type { RunToolResult } from "./run-tool-result.ts"
import type { ReconcileInput, ReconcilePass } from "../../domain/engine/reconcile-pass.ts"
import type { EventType } from "../../contracts/event.ts"
import type { ToolOutcome, UserSource } from "../../contracts/message.ts"
import type { CountedUsage, RunSpending } from "../../domain/limits/run-spending.ts"
import type { UsageTotals } from "../../domain/limits/usage-totals.ts"
import type { PauseType } from "../../contracts/approval/pause.ts"
import type { StopReason } from "../../contracts/status.ts"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import type { HookPhase } from "../../domain/run/hook-event.ts"
import type { CallAnswer, CallFailure, CheckedEdit } from "../../domain/calls/tool-batch.ts"
import type { OpenedRun, OpenRunInput } from "./opened-run.ts"

/**
 * What the workflow itself has to write to the store: its events, and two changes of what is shown. A workflow cannot write, so this is part of the input of
 * its next activity, which writes it. A repetition changes nothing. Deliveries (webhooks, announcements) are something else.
 */
export interface Outbox {
  readonly events: readonly {
    readonly ordinal: number
    readonly type: EventType
    readonly data: Readonly<Record<string, unknown>>
  }[]
  /** A pause that has ended: its row is closed and the session is shown as running. */
  readonly closedCheckpoint?: string
  /** The session has its slot: it was shown as pending and is shown as running. */
  readonly leftQueue?: boolean
}

/** A row to which the workflow assigned a place in the transcript. */
export type AppendItem =
  | { readonly kind: "inbox"; readonly seq: number; readonly inboxId: string; readonly source: UserSource }
  | { readonly kind: "text"; readonly seq: number; readonly source: UserSource; readonly text: string }
  | { readonly kind: "announce"; readonly seq: number; readonly childId: string; readonly runId: string }
  | {
      readonly kind: "result"
      readonly seq: number
      readonly callId: string
      readonly name: string
      readonly outcome: ToolOutcome
      readonly content: string
      /** Present if the call never ran although its outcome is `error`. */
      readonly executed?: false
      /** Present if a rule refused the call without anyone having been asked. */
      readonly refused?: true
      /** The error code of the refusal. */
      readonly code?: string
    }

export interface CallModelInput extends RunScope {
  readonly step: number
  readonly sessionSteps: number
  readonly assistantSeq: number
  readonly append: readonly AppendItem[]
  readonly outbox: Outbox
  /** Name of a configured model that replaces the snapshot's. */
  readonly model: string | null
  /** What is left; null: no limit. */
  readonly budget: { readonly microUsd: number | null; readonly tokens: number | null }
  readonly spending: RunSpending
  /** Present if the run was reset. */
  readonly counted?: CountedUsage
  /** How often the conversation was shortened since the last answer. */
  readonly compactions: number
  /** Since when the step waits for the provider's rate limit; null: it does not. */
  readonly waitsSince: string | null
  /** Attempts of the call that failed before it waited for that limit. Absent: none. */
  readonly failedAttempts?: number
  /** Answers of this step so far that were not used. */
  readonly unusedAnswers?: number
  /** The answer to the step was empty: the model is asked for it again. */
  readonly isAskedAgain?: boolean
  /** The last answer of a run that has used its steps. It counts as none, and none of its calls runs. */
  readonly isLast?: boolean
}

export interface CompactInput extends RunScope {
  /** The step whose model call does not fit. */
  readonly step: number
  /** The place of the row that the compaction writes. */
  readonly seq: number
  readonly isRefused: boolean
  readonly model: string | null
  readonly budget: CallModelInput["budget"]
  /** Present if the run was reset. */
  readonly counted?: CountedUsage
  /** Sub-agents that have not ended. */
  readonly children: readonly string[]
  readonly outbox: Outbox
  /** Since when the run waits for the calls of others; null or absent: it does not. */
  readonly waitsSince?: string | null
}

export type CompactResult =
  /** The summary was not asked for: the calls of others have reserved the rest of the day's limit. */
  | Extract<CallModelResult, { kind: "rate-limited" }>
  | { readonly kind: "compacted"; readonly usage: UsageTotals }
  /** The provider is asked all the same: its own count of tokens may be lower. */
  | { readonly kind: "nothing-to-compact" }
  | { readonly kind: "budget-exhausted"; readonly usage: UsageTotals; readonly reason?: string }

export interface RunToolInput extends RunScope {
  readonly step: number
  readonly assistantSeq: number
  readonly callId: string
  readonly resultSeq: number
  /** A person's answer to the question that the call asked before. */
  readonly answer?: CallAnswer
  /** A person approved this very call although it changes a protected path. */
  readonly mayChangeProtected?: boolean
  /** The grant by which it runs without a decision: it must still cover the call. */
  readonly grantId?: string
  /** Nobody was asked about it: policy, the run's approval or a grant lets it run. */
  readonly isUnasked?: boolean
  /** The batch was previewed: the worker notices a file that something else has changed since. */
  readonly isPreviewed?: boolean
  /** An approver replaced its arguments: the new ones are in the store. */
  readonly isEdited?: boolean
  /** What its approver says to the agent. */
  readonly note?: string
  readonly outbox: Outbox
}

export interface ProposeCallInput extends RunScope {
  readonly assistantSeq: number
  readonly append: readonly AppendItem[]
  readonly outbox: Outbox
}

/** The one call of a run without a model, as the answer of a model that proposes it, or why it cannot be made. */
export type ProposeCallResult =
  | Extract<CallModelResult, { kind: "answer" }>
  | { readonly kind: "failed"; readonly error: CallFailure["error"] }

export interface WriteResultInput extends RunScope {
  readonly seq: number
  readonly text: string
}

export interface RunHooksInput extends RunScope {
  readonly phase: HookPhase
  readonly append: readonly AppendItem[]
  readonly headSeq: number
  /** After hooks: the error of the run. */
  readonly error?: { readonly code: string; readonly message: string } | null
  readonly outbox: Outbox
}

export interface RunHooksResult {
  /** Before hooks: why the run must not start. */
  readonly refusal: { readonly code: string; readonly message: string } | null
}

export interface OpenPauseInput extends RunScope {
  readonly ordinal: number
  readonly type: PauseType
  readonly assistantSeq: number
  readonly callIds: readonly string[]
  /** The transcript rows of the results of `callIds`, under which their previews are stored; absent if none were made. */
  readonly resultSeqs?: readonly number[]
  /** The transcript rows of the results of those with new arguments; absent if there are none. */
  readonly editedSeqs?: readonly number[]
  /** Those of them that change protected paths; absent if none does. */
  readonly protectedIds?: readonly string[]
  /** Replaces the agent's last text as the pause's message. */
  readonly notice?: string
  readonly headSeq: number
  readonly stepsTaken: number
  readonly append: readonly AppendItem[]
  readonly outbox: Outbox
  readonly spending: RunSpending
  /** Present if the run was reset. */
  readonly counted?: CountedUsage
}

export interface OpenedPause {
  readonly checkpointId: string
  /** The pending calls for the engine's UI, each with its preview in one line. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly preview: string }[]
  readonly message: string
  /** What goes out; absent where nothing does. */
  readonly deliveries?: readonly DeliveryInput[]
}

export interface RecordDecisionsInput extends RunScope {
  readonly checkpointId: string
  readonly remainingCallIds: readonly string[]
  readonly outbox: Outbox
}

export interface CloseRunInput extends RunScope {
  readonly stopReason: StopReason
  readonly error: { readonly code: string; readonly message: string } | null
  readonly headSeq: number
  /** Where a model turn that was interrupted by a cancel may have left its text. */
  readonly partialSeq: number
  readonly stepsTaken: number
  readonly sessionSteps: number
  readonly append: readonly AppendItem[]
  /** A queued message starts this run next: the session continues. */
  readonly nextRunId: string | null
  /** Background processes of the session may be running. */
  readonly hasBackground: boolean
  /** The machines that its calls left some on. */
  readonly backgroundMachines?: readonly string[]
  /** Those machines whose processes were not stopped, because no worker of them is running; absent before they were asked. */
  readonly unreachedMachines?: readonly string[]
  /** `finish` was called: its `result` is the final message. */
  readonly finish: { readonly assistantSeq: number; readonly callId: string } | null
  /** No session above is notified of its outcome, so webhooks are. */
  readonly isTop?: boolean
  /** What a person should know about the run all the same. */
  readonly warnings?: readonly Warning[]
  /** Results of sub-agents that the run has not read. */
  readonly undelivered?: readonly { readonly childId: string; readonly runId: string }[]
  /** The last place of the transcript whose texts its thread has received; absent without a thread. */
  readonly saidSeq?: number
  readonly outbox: Outbox
  readonly spending: RunSpending
  /** Present if the run was reset. */
  readonly counted?: CountedUsage
}

export interface ClosedRun {
  readonly headSeq: number
  readonly preview: string
  /** What goes out; absent where nothing does. */
  readonly deliveries?: readonly DeliveryInput[]
  /** Nothing is recorded yet: background processes must first be stopped on these machines. */
  readonly stopFirst?: readonly string[]
}

/** Activities that one machine's workers execute, from the queue of the machine. */
export interface MachineActivities {
  /** Stops the background processes of a session on this machine. */
  stopBackground(input: { readonly sessionId: string }): Promise<void>
  /** Does nothing: a worker of the machine has taken it. */
  reachMachine(): Promise<void>
}

/** The activities of a session's workflow. */
export interface AgentActivities {
  callModel(input: CallModelInput): Promise<CallModelResult>
  /** Makes the conversation shorter for the model, without deleting anything. */
  compact(input: CompactInput): Promise<CompactResult>
  runTool(input: RunToolInput): Promise<RunToolResult>
  /** Stores what people are shown of the calls before they decide. Changes nothing else. */
  previewCalls(input: PreviewCallsInput): Promise<void>
  /** Checks the new arguments that approvers gave to calls, and stores those with which a call may run. */
  checkEdits(input: CheckEditsInput): Promise<readonly CheckedEdit[]>
  runHooks(input: RunHooksInput): Promise<RunHooksResult>
}

/** The activities of a run that only read and write the store. Workflows call them as `storeActivities`. */
export interface RunStoreActivities {
  openRun(input: OpenRunInput): Promise<OpenedRun>
  openPause(input: OpenPauseInput): Promise<OpenedPause>
  /** Writes the instruction and the one call that a run without a model makes. */
  proposeCall(input: ProposeCallInput): Promise<ProposeCallResult>
  /** Writes the answer of a run without a model, if a person gave it instead of the run's one call. */
  writeResult(input: WriteResultInput): Promise<void>
  recordDecisions(input: RecordDecisionsInput): Promise<void>
  /** Asks the workers to stop the run's calls: the engine reports the cancel to them too late. */
  requestStop(input: { readonly runId: string }): Promise<void>
  closeRun(input: CloseRunInput): Promise<ClosedRun>
  /** Records in the audit log who sent the operator signals of this execution, from the identities in the history. */
  auditOperatorSignals(input: AuditInput): Promise<void>
  /** Verifies who sent a decision. One without a valid signature gets an audit row under the identity in the history. */
  attributeDecision(input: AttributeInput): Promise<DecisionOrigin>
  /** Does the same for messages whose text is in the store. */
  attributeMessages(input: AttributeMessagesInput): Promise<MessageOrigins>
}

export interface ReconcileActivities {
  /** Compares rows with the engine and writes what is missing. */
  reconcileSessions(input?: ReconcileInput): Promise<ReconcilePass>
}
