import type { StopReason } from "../../contracts/status.ts"
import type { ChildState, ChildUse, Reserve } from "../../domain/limits/child-state.ts"
import type { WorkflowType } from "../../domain/engine/engine-names.ts"
import type { RunReference, SessionMessage } from "../../domain/messages/session-message.ts"
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
  readonly children: readonly ChildSummary[]
  /** What the parent may still spend, less what its open children hold. */
  readonly budgetLeft: Reserve
  /** What is left of the parent's own time limit; 0: none. */
  readonly timeLeftMs: number
  /** The engine's history is so long that no child may be started any more. */
  readonly historyIsFull: boolean
  readonly outbox: Outbox
}

/** A child that is ready to be started: its rows are written. */
export interface PreparedChild {
  readonly id: string
  readonly workflowType: WorkflowType
  readonly run: RunReference
  readonly message: SessionMessage
  readonly label: string | null
  readonly agent: string
  readonly model: string
  readonly title: string
  readonly rootId: string
  readonly depth: number
  readonly reserved: Reserve
  /** What it and those below it had used before this run: that is counted already. */
  readonly usedBefore?: UsageTotals
}

/** What a delegation call makes the workflow do. `settled`: the result is written already. */
export type DelegationDirective =
  | { readonly kind: "settled"; readonly reported: readonly string[]; readonly silenced: readonly string[] }
  | { readonly kind: "spawn"; readonly child: PreparedChild; readonly use: ChildUse }
  | {
      readonly kind: "wait"
      readonly childIds: readonly string[]
      readonly timeoutMs: number | null
      /** Of these the parent only knows that they paused; somebody has decided since, and they work again. */
      readonly resumed?: readonly string[]
    }

export interface AnswerDelegationInput extends Omit<
  PrepareDelegationInput,
  "budgetLeft" | "timeLeftMs" | "historyIsFull" | "outbox"
> {
  readonly childIds: readonly string[]
  readonly timedOut: boolean
  /** The call only started a child and does not wait for it. */
  readonly isStart: boolean
  /** The engine did not start the child. */
  readonly refused?: { readonly runId: string; readonly problem: string }
}

export interface SettleChildInput {
  readonly childId: string
  readonly runId: string
  /** How the engine says that it ended, for a child that recorded no outcome. */
  readonly engine: "completed" | "failed" | "cancelled" | "terminated" | "timed_out"
  readonly usedBefore?: UsageTotals
}

export interface SettledChild {
  readonly stopReason: StopReason
  /** Its run with everything below it. */
  readonly usage: UsageTotals
  /** The same with all of its runs before. */
  readonly usedSoFar: UsageTotals
  readonly isSilent: boolean
}

/** Delegation happens in the parent's workflow; these look things up and write them down. */
export interface DelegationActivities {
  prepareDelegation(input: PrepareDelegationInput): Promise<DelegationDirective>
  /** Writes the result of a call that waited. */
  answerDelegation(input: AnswerDelegationInput): Promise<void>
  settleChild(input: SettleChildInput): Promise<SettledChild>
  /** Shows a session that only waits for paused children as paused, and back. */
  showWaiting(input: { readonly sessionId: string; readonly runId: string; readonly paused: boolean }): Promise<void>
}
