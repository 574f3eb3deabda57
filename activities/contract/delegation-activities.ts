import type { StopReason } from "../../contracts/status.ts"
import type { ChildState, ChildUse, Reserve } from "../../domain/limits/child-state.ts"
import type { WorkflowType } from "../../domain/engine/engine-names.ts"
import type { RunReference, SessionMessage } from "../../domain/session/session-message.ts"
import type { CountedUsage } from "../../domain/limits/run-spending.ts"
import type { UsageTotals } from "../../domain/limits/usage-totals.ts"
import type { Outbox } from "./agent-activities.ts"
import type { RunScope } from "./run-scope.ts"

/** A child as the parent's workflow describes it to an activity. */
export type ChildSummary = Readonly<Pick<ChildState, "id" | "ordinal" | "label" | "runId" | "status">>

export interface PrepareDelegationInput extends RunScope {
  readonly step: number
  readonly assistantSeq: number
  readonly callId: string
  readonly resultSeq: number
  /** An approver replaced its arguments: the new ones are in the store. */
  readonly isEdited?: boolean
  /** What its approver says to the agent. */
  readonly note?: string
  /** A person approved this very call although it changes a protected path. */
  readonly mayChangeProtected?: boolean
  /** Nobody was asked about it: policy or the run's approval lets it run. */
  readonly isUnasked?: boolean
  /** The workflow can ask about the call again instead of making it. Absent: it cannot, so that the call is refused. */
  readonly canAskAgain?: boolean
  readonly children: readonly ChildSummary[]
  /** What the parent may still spend, without the budgets reserved for its open children. */
  readonly budgetLeft: Reserve
  /** Present if the run was reset. */
  readonly counted?: CountedUsage
  /** The rest of the parent's own time limit; 0: none. */
  readonly timeLeftMs: number
  /** The engine's history is so long that no more children may be started. */
  readonly historyIsFull: boolean
  readonly outbox: Outbox
}

/** A child whose rows are written, so that it can be started. */
export interface PreparedChild {
  readonly id: string
  readonly workflowType: WorkflowType
  readonly run: RunReference
  readonly message: SessionMessage
  readonly label: string | null
  readonly agent: string
  readonly model: string
  readonly title: string
  /** Its number among all children of the session. */
  readonly number: number
  readonly rootId: string
  readonly depth: number
  readonly reserved: Reserve
  /** What it and its descendants had used before this run, which is already counted. */
  readonly usedBefore?: UsageTotals
}

/** What the workflow must do for a delegation call. `settled`: nothing, the result is already written. */
export type DelegationDirective =
  /** The call has not been made; see `RunToolResult.changed` and `changesProtected`. */
  | { readonly kind: "changed"; readonly changed: string; readonly changesProtected?: true }
  | { readonly kind: "settled"; readonly reported: readonly string[]; readonly silenced: readonly string[] }
  | { readonly kind: "spawn"; readonly child: PreparedChild; readonly use: ChildUse }
  | {
      readonly kind: "wait"
      readonly childIds: readonly string[]
      readonly timeoutMs: number | null
      /** Children that the parent still considers paused, but that have been decided since and are running again. */
      readonly resumed?: readonly string[]
    }

export interface AnswerDelegationInput extends Omit<
  PrepareDelegationInput,
  "budgetLeft" | "counted" | "timeLeftMs" | "historyIsFull" | "outbox"
> {
  readonly childIds: readonly string[]
  readonly timedOut: boolean
  /** The call started a child and does not wait for it. */
  readonly isStart: boolean
  /** The engine did not start the child. */
  readonly refused?: { readonly runId: string; readonly problem: string }
}

export interface SettleChildInput {
  readonly childId: string
  readonly runId: string
  /** The status of the execution in the engine, for a child that recorded no outcome. */
  readonly engine: "completed" | "failed" | "cancelled" | "terminated" | "timed_out"
  readonly usedBefore?: UsageTotals
}

export interface SettledChild {
  readonly stopReason: StopReason
  /** Usage of its run and of everything below it. */
  readonly usage: UsageTotals
  /** The same, including all its earlier runs. */
  readonly usedSoFar: UsageTotals
  readonly isSilent: boolean
}

export interface ShowWaitingInput {
  readonly sessionId: string
  readonly runId: string
  readonly paused: boolean
  /** The children for which a paused session waits. */
  readonly childIds?: readonly string[]
}

/** Activities for delegation: the parent's workflow decides, these read and write the store. */
export interface DelegationActivities {
  prepareDelegation(input: PrepareDelegationInput): Promise<DelegationDirective>
  /** Writes the result of a call that waited. */
  answerDelegation(input: AnswerDelegationInput): Promise<void>
  settleChild(input: SettleChildInput): Promise<SettledChild>
  /** Shows a session that only waits for paused children as paused, and back. */
  showWaiting(input: ShowWaitingInput): Promise<void>
}
