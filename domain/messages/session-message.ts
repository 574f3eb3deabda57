import type { UserSource } from "../../contracts/message.ts"
import type { Approval } from "../approval/narrow-approval.ts"

/**
 * A text for a session. Senders store it as an inbox row first and signal only its id; what an operator types into the Temporal UI
 * comes inline.
 */
export interface SessionMessage {
  /** Id of the inbox row; makes a repeated delivery idempotent. */
  readonly id: string
  readonly type: "message" | "follow_up" | "steering"
  readonly source: UserSource
  /** Only what was typed into the Temporal UI. */
  readonly text?: string
  /** Refused when the session's run is another one. */
  readonly run_id?: string
  /** Refused when the open pause is another one. */
  readonly checkpoint_id?: string
  /** The run that this message starts if it starts one. */
  readonly new_run?: RunReference
  /** The run that its sender saw ended: what starts the next one is not what a cancel of that run found in the queue. */
  readonly after_run?: string
  /** The most approval of a run that reads this, where its sender may give no more than that: see docs/decisions/0010. */
  readonly approval?: Approval
  /** A person raises the budget of a run that paused because it was used up. */
  readonly budget?: { readonly micro_usd: number | null; readonly tokens: number | null }
}

/** A message that starts the next run. */
export interface QueuedMessage extends SessionMessage {
  /** The model that a person had set when it came: a later choice also holds for its run. */
  readonly model_before?: string | null
}

/** A run by reference: the snapshot contains its settings. */
export interface RunReference {
  readonly run_id: string
  readonly snapshot_hash: string
}

/** Id of the run that a queued message starts. */
export const queuedRunId = (message: Pick<SessionMessage, "id" | "new_run">): string =>
  message.new_run?.run_id ?? `run_${message.id}`

export interface SessionStatusAnswer {
  readonly session_id: string
  readonly run_id: string
  readonly status: "pending" | "running" | "paused" | "completed" | "failed" | "cancelled" | "timed_out"
  readonly checkpoint_id: string | null
  readonly steps_taken: number
  readonly model: string
}

/** Answer of the `decide`, `send`, `steer` and `setModel` updates. */
export interface UpdateAnswer {
  readonly run_id: string
}

/** Updates refuse with `ApplicationFailure` of this type; `details[0]` is an `ErrorCode`, the message is for the user. */
export const refusedFailureType = "AdjutantRefused"

/** Updates fail with this type where only the signal can be kept until the workflow is that far: the sender falls back to it. */
export const notYetFailureType = "AdjutantNotYet"

/** Updates that a session takes. Its signals and queries stand in workflows/messages. */
export const updateNames = ["decide", "send", "steer", "setModel"] as const
