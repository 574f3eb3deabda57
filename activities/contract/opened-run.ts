import type { UserSource } from "../../contracts/message.ts"
import type { StopReason } from "../../contracts/status.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { RunTiming } from "../../contracts/config/timing.ts"
import type { RunApproval } from "../../domain/approval/narrow-approval.ts"
import type { RunScope } from "./run-scope.ts"

export interface OpenRunInput extends RunScope {
  readonly alreadyOpen: boolean
  /** Its execution begins with it, and does not continue another one, as one does that was reset. */
  readonly isNew?: boolean
  /** The text that the run begins with; absent once the run is open. */
  readonly instruction?: { readonly source: UserSource; readonly inboxId: string; readonly text?: string }
  /** Settings of the session's run before. */
  readonly followsHash?: string
  /** The model that a person has set for the session. */
  readonly modelOverride?: string | null
  /** Settings in a person's answer. Those that are narrower apply from now on. */
  readonly narrowedBy?: string
  /** The most approval that the senders of its messages may give. */
  readonly approval?: RunApproval
}

export interface OpenedRun {
  /** The run's own settings, which are at most those of the run before: they replace the ones that it was to have. */
  readonly snapshotHash?: string
  /** The execution that has opened the run; empty if another one, which was reset, opened it before. */
  readonly execution?: string
  readonly headSeq: number
  /** Results of sub-agents that no run of the session has read; absent if there are none. */
  readonly undelivered?: readonly { readonly childId: string; readonly runId: string }[]
  /** Steps of the session's earlier runs. */
  readonly stepsBefore: number
  readonly model: string
  readonly modelNames: readonly string[]
  /** The models that take over from a model of the run while it is unavailable, in order. Absent if there are none. */
  readonly fallbacks?: Readonly<Record<string, readonly string[]>>
  readonly maxSteps: number
  readonly timeoutMs: number
  readonly budgetMicroUsd: number | null
  readonly budgetTokens: number | null
  readonly pauseOnText: boolean
  readonly type: RunSnapshot["type"]
  /** Most that the program or the bridge's call may take; 0 for a model. */
  readonly executionTimeoutMs: number
  readonly hasBeforeHooks: boolean
  readonly hasAfterHooks: boolean
  /** Slots of the lane that its runs need one of; 0: they need none. */
  readonly laneCapacity: number
  readonly timing: RunTiming
  /** A thread is bound to the session. `reports`: whether the result of each sub-agent is a step, or those of all together. Absent without a thread. */
  readonly thread?: { readonly reports: "each" | "all" }
  /** Workers follow the store's stop requests: heartbeats are too rare to carry a cancel. */
  readonly followsStops: boolean
  /** The run works in a git worktree of its own, which is created before its first step. Absent where it does not. */
  readonly worktree?: true
  /** The run has ended before, in another execution: this one was started by a repetition of its message. Absent where it has not. */
  readonly ended?: {
    readonly stopReason: StopReason
    readonly error: { readonly code: string; readonly message: string } | null
  }
  /** Why the run may not work at all; absent where it may. */
  readonly refusal?: { readonly code: string; readonly message: string }
}
